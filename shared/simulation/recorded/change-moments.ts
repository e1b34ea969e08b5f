import { type KeyText, keyText } from '../../changes/index.ts'
import type { ChangeRecord, WriteRecord } from '../../recording/index.ts'

/** Tells when the changes behind a write came to the relay, in milliseconds since the epoch. */
export interface ChangeMoments {
  add(record: ChangeRecord): void
  /**
   * Takes what was sent of the key by then. Writes of one look share it.
   */
  of(record: WriteRecord): Answered
}

/** What a look answers. */
export interface Answered {
  /** When its changes came, in order; at least one. */
  readonly moments: readonly number[]
  /** From a change that did not wait for others until its message was sent, in milliseconds; absent where all may have waited. */
  readonly sendMs?: number
}

interface Sent {
  /** When the queue had accepted the key. */
  readonly at: number
  readonly moments: readonly number[]
  /** The key had been quiet: the change did not wait. */
  readonly isFirst: boolean
}

interface OfKey {
  waiting: Sent[]
  lastAt: number
  /** What the last look took, and the message that it was of. */
  taken: { readonly message: string; readonly answered: Answered } | undefined
}

/** The record of a key may be of a moment after its message was sent: the answer of the queue comes later. */
const ANSWER_MS = 50
/** Whatever a key rests for, by default: after so long it is quiet. */
const QUIET_MS = 2_000
/** Of a key that is sent and never written the latest are kept. */
const MOST_WAITING = 16

export function createChangeMoments(): ChangeMoments {
  const keys = new Map<KeyText, OfKey>()

  function entryOf(record: ChangeRecord | WriteRecord): OfKey {
    const key = keyText(record)
    const known = keys.get(key)
    if (known !== undefined) return known
    const entry: OfKey = { waiting: [], lastAt: Number.NEGATIVE_INFINITY, taken: undefined }
    keys.set(key, entry)
    return entry
  }

  return {
    add(record) {
      const entry = entryOf(record)
      const { waiting } = entry
      const at = Date.parse(record.time)
      const isFirst = record.count === 1 && record.ages !== undefined && at - entry.lastAt > QUIET_MS
      entry.lastAt = at
      waiting.push({ at, moments: (record.ages ?? [0]).map((age) => at - age), isFirst })
      if (waiting.length > MOST_WAITING) waiting.shift()
    },
    of(record) {
      const entry = entryOf(record)
      const message = record.message?.ids?.join() ?? record.message?.sentAt ?? record.time
      if (entry.taken?.message === message) return entry.taken.answered
      const sentAt = Date.parse(record.message?.sentAt ?? record.time)
      const isSent = ({ at }: Sent): boolean => at <= sentAt + ANSWER_MS
      const sent = entry.waiting.filter(isSent)
      entry.waiting = entry.waiting.filter((each) => !isSent(each))
      const moments = sent.flatMap((each) => each.moments).sort((a, b) => a - b)
      // Where the relay's records are missing, the message was sent as soon as the change came.
      if (moments.length === 0) moments.push(sentAt)
      const [only, ...others] = sent
      const isFirst = only?.isFirst === true && others.length === 0
      const answered = { moments, ...(isFirst && { sendMs: Math.max(0, sentAt - (moments[0] ?? 0)) }) }
      entry.taken = { message, answered }
      return answered
    },
  }
}

/** The moment of one of `count` changes, of which the moments of some are known: the last of both belong together. */
export function momentOf(moments: readonly number[], index: number, count: number): number {
  const place = Math.ceil(((index + 1) * moments.length) / count) - 1
  return moments[place] ?? 0
}
