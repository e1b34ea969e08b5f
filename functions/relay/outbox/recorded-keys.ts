import {
  type Change,
  type KeyText,
  keyFields,
  keyText,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import { encodeMessage, type KeyMessage, LANES, type Lane } from '../../../shared/queue/index.ts'
import { AGES, type Recorder } from '../../../shared/recording/index.ts'

/** Changes that no message that the queue has accepted stands for yet. */
interface Waiting {
  readonly about: readonly string[]
  readonly count: number
  /** Time at which the last of them came. */
  readonly at: number
  /** Undefined: the next message represents it, with any Pods. */
  pods: readonly string[] | undefined
  /** The latest of the Pods that changed, as far as they are known. */
  readonly names: readonly string[]
}

/** A key that was sent, and what came of it. */
interface Sent {
  readonly at: number
  /** Milliseconds until the watch delivered a write. */
  seen: number | undefined
  /** The sending before it had not led to a write by then: what is written may be of that one. */
  readonly isUncertain: boolean
}

/** Milliseconds for which keys that were sent are remembered. */
const FORGET_MS = 60_000

/** Maximum number of changes per key; older ones are merged, and go with the next message. */
const MAX_CHANGES_PER_KEY = 4 * AGES

export type SentKeys = ReturnType<typeof createSentKeys>

/**
 * Records keys that the queue has accepted, with what each of them stands for.
 * @param now milliseconds of a clock that never goes back
 */
export function createSentKeys(recorder: Recorder, now = () => performance.now()) {
  const waiting = Object.fromEntries(LANES.map((lane) => [lane, new Map()])) as Record<
    Lane,
    Map<KeyText, Waiting[]>
  >
  // In the order of their last sending.
  const lastSent = new Map<KeyText, Sent>()

  /** @returns what was seen of the sending before */
  function noteSent(key: KeyText): Pick<Sent, 'seen'> {
    const [at, before] = [now(), lastSent.get(key)]
    lastSent.delete(key)
    lastSent.set(key, { at, seen: undefined, isUncertain: before !== undefined && before.seen === undefined })
    for (const [other, sent] of lastSent) {
      if (at - sent.at <= FORGET_MS) break
      lastSent.delete(other)
    }
    return { seen: before?.isUncertain === false ? before.seen : undefined }
  }

  /**
   * Takes the changes for which a message stands. Deferrable changes wait for longer than others of their
   * key: a message that names other Pods does not stand for them.
   */
  function take(lane: Lane, message: KeyMessage): Waiting[] {
    const key = keyText(message)
    const all = waiting[lane].get(key) ?? []
    const named = message.hint && new Set(message.hint.pods)
    const isNamed = ({ pods }: Waiting): boolean =>
      named === undefined || pods === undefined || pods.every((pod) => named.has(pod))
    const left = all.filter((change) => !isNamed(change))
    if (left.length === 0) waiting[lane].delete(key)
    else waiting[lane].set(key, left)
    return all.filter(isNamed)
  }

  return {
    /** @param about the kind whose objects changed, or why the keys are swept */
    changed(lane: Lane, about: string, changes: readonly Change[]): void {
      for (const change of changes) {
        if (!recorder.records(change)) continue
        const key = keyText(change)
        const all = waiting[lane].get(key) ?? []
        waiting[lane].set(key, all)
        all.push({ about: [about], count: 1, at: now(), pods: change.pods, names: change.pods ?? [] })
        if (all.length > MAX_CHANGES_PER_KEY) all.splice(0, 2, oneOf(all.slice(0, 2)))
      }
    },
    /** Notes a change that needs no sync: it counts with the key's next message. */
    settled(lane: Lane, change: Change): void {
      for (const each of waiting[lane].get(keyText(change)) ?? [])
        if (each.pods?.every((pod) => change.pods?.includes(pod))) each.pods = undefined
    },
    sent(lane: Lane, messages: readonly KeyMessage[]): void {
      for (const message of messages) {
        if (!recorder.records(message)) continue
        const changes = take(lane, message)
        const ages = changes.slice(-AGES).map(({ at }) => Math.round(now() - at))
        const { names: pods, ...sum } = sumOf(changes)
        const { triggerTime: trigger } = message
        recorder.sent({
          ...keyFields(message),
          ...sum,
          ...(ages.length > 0 && { ages }),
          bytes: Buffer.byteLength(encodeMessage(message)),
          ...noteSent(keyText(message)),
          lane,
          ...(trigger && { trigger }),
          ...(pods.length > 0 && { pods }),
        })
      }
    },
    /** Notes that the watch delivered a write of a slice of the Service. */
    written(key: ServiceKey): void {
      const sent = lastSent.get(keyText(key))
      if (sent !== undefined) sent.seen ??= Math.round(now() - sent.at)
    },
  }
}

const sumOf = (changes: readonly Waiting[]): Pick<Waiting, 'about' | 'count' | 'names'> => ({
  about: [...new Set(changes.flatMap(({ about }) => about))],
  count: changes.reduce((sum, { count }) => sum + count, 0),
  names: [...new Set(changes.flatMap(({ names }) => names))].slice(-AGES),
})

const oneOf = (changes: readonly Waiting[]): Waiting => ({
  ...sumOf(changes),
  at: Math.max(...changes.map(({ at }) => at)),
  pods: undefined,
})
