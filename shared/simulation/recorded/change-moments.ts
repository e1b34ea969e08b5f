import { type KeyText, keyText } from '../../changes/index.ts'
import type { ChangeRecord, WriteRecord } from '../../recording/index.ts'

/** Tells when the changes behind a write came to the relay, in milliseconds since the epoch. */
export interface ChangeMoments {
  add(record: ChangeRecord): void
  /**
   * Takes what was sent of the key by then. Writes of one look share it.
   * @returns in order, at least one
   */
  of(record: WriteRecord): readonly number[]
}

interface Sent {
  /** When the queue had accepted the key. */
  readonly at: number
  readonly moments: readonly number[]
}

interface OfKey {
  waiting: Sent[]
  /** What the last look took, and the message that it was of. */
  taken: { readonly message: string; readonly moments: readonly number[] } | undefined
}

/** The record of a key may be of a moment after its message was sent: the answer of the queue comes later. */
const ANSWER_MS = 50
/** Of a key that is sent and never written the latest are kept. */
const MOST_WAITING = 16

export function createChangeMoments(): ChangeMoments {
  const keys = new Map<KeyText, OfKey>()

  function entryOf(record: ChangeRecord | WriteRecord): OfKey {
    const key = keyText(record)
    const known = keys.get(key)
    if (known !== undefined) return known
    const entry: OfKey = { waiting: [], taken: undefined }
    keys.set(key, entry)
    return entry
  }

  return {
    add(record) {
      const { waiting } = entryOf(record)
      const at = Date.parse(record.time)
      waiting.push({ at, moments: (record.ages ?? [0]).map((age) => at - age) })
      if (waiting.length > MOST_WAITING) waiting.shift()
    },
    of(record) {
      const entry = entryOf(record)
      const message = record.message?.ids?.join() ?? record.message?.sentAt ?? record.time
      if (entry.taken?.message === message) return entry.taken.moments
      const sentAt = Date.parse(record.message?.sentAt ?? record.time)
      const isSent = ({ at }: Sent): boolean => at <= sentAt + ANSWER_MS
      const sent = entry.waiting.filter(isSent)
      entry.waiting = entry.waiting.filter((each) => !isSent(each))
      const moments = sent.flatMap((each) => each.moments).sort((a, b) => a - b)
      // Where the relay's records are missing, the message was sent as soon as the change came.
      if (moments.length === 0) moments.push(sentAt)
      entry.taken = { message, moments }
      return moments
    },
  }
}

/** The moment of one of `count` changes, of which the moments of some are known: the last of both belong together. */
export function momentOf(moments: readonly number[], index: number, count: number): number {
  const place = Math.ceil(((index + 1) * moments.length) / count) - 1
  return moments[place] ?? 0
}
