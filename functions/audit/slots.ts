import { hash } from 'node:crypto'
import { keyText, type ServiceKey } from '../../shared/changes/index.ts'

/** Length of a slot. SQS delays a message by 900 s at most, and keys are spread over their slot by that. */
export const SLOT_SECONDS = 600
/**
 * Number of slots per cluster. Each costs a list of the cluster, as a list cannot return a share of its
 * objects;
 * with fewer, the syncs of a large cluster are less spread out.
 */
const PARTS = 4

interface AuditPlace {
  /** Part of its cluster's keys. */
  readonly part: number
  /** Delay from the beginning of the slot, in whole seconds below {@link SLOT_SECONDS}. */
  readonly delaySeconds: number
}

export type AuditSlots = ReturnType<typeof createAuditSlots>

/**
 * Divides an interval into slots of ten minutes, and says of each key in which of them it is: a cluster takes
 * four of them, evenly apart, and its keys are divided among these. All of it follows from names and the
 * interval alone: nothing has to be remembered, and no cluster or key that comes or goes moves another one.
 * @param auditInterval in seconds, at least one slot; what is beyond whole slots is left out, so that no key
 *   waits longer
 */
export function createAuditSlots(auditInterval: number) {
  const count = Math.floor(auditInterval / SLOT_SECONDS)
  const parts = Math.min(PARTS, count)
  return {
    /** Number of slots in an interval. */
    count,
    /** @param time milliseconds since the epoch @returns the slot of the interval, from 0 */
    at: (time: number): number => Math.floor(time / (SLOT_SECONDS * 1000)) % count,
    /** Returns the part of the cluster's keys whose turn it is, or `undefined` if it is the turn of none. */
    partOf(cluster: string, slot: number): number | undefined {
      const first = Math.floor(shareOf(cluster) * count)
      return Array.from({ length: parts }, (_, index) => index).find(
        (index) => (first + Math.floor((index * count) / parts)) % count === slot,
      )
    },
    placeOf(key: ServiceKey): AuditPlace {
      const place = shareOf(keyText(key)) * parts
      const part = Math.floor(place)
      return { part, delaySeconds: Math.floor((place - part) * SLOT_SECONDS) }
    },
  }
}

/** Maps a text to a share from 0 to 1, evenly over all texts: 52 bits of its hash, exact as a number. */
const shareOf = (text: string): number => Number.parseInt(hash('sha256', text).slice(0, 13), 16) / 2 ** 52
