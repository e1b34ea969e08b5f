import type { LookEvent } from '../workloads/index.ts'

/**
 * Knows how long looks took lately, from the begin of the sending of their message until the answer to a
 * write.
 */
export interface LookTimes {
  add(look: LookEvent['look']): void
  /** One of them, in milliseconds; undefined as long as none is known. @param share 0 to below 1 */
  draw(share: number): number | undefined
}

/** So many of the last. */
const KEPT = 512
/** What took longer had waited for something else, such as a retry. */
const LONGEST_MS = 60_000

export function createLookTimes(): LookTimes {
  const looks = createLast()
  const sendings = createLast()
  return {
    add({ lookMs, sendMs }) {
      if (lookMs !== undefined) looks.add(lookMs)
      if (sendMs !== undefined) sendings.add(sendMs)
    },
    draw(share) {
      const ms = looks.at(share)
      // The two have nothing to do with each other: what is left of the one's choice is the other's.
      return ms === undefined ? undefined : ms + (sendings.at((share * KEPT) % 1) ?? 0)
    },
  }
}

function createLast() {
  const values: number[] = []
  let count = 0
  return {
    add(ms: number): void {
      if (ms >= 0 && ms <= LONGEST_MS) values[count++ % KEPT] = ms
    },
    at: (share: number): number | undefined => values[Math.floor(share * values.length)],
  }
}
