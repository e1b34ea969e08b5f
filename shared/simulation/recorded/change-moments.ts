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
  /** Tells the looks at a key apart: all writes of one have the same. */
  readonly look: string
  /** When its changes came, in order; at least one. */
  readonly moments: readonly number[]
  /**
   * From when the message was sent, or the look before it at the key was over, until the answer to the write,
   * in milliseconds; absent of messages that were received more than once.
   */
  readonly lookMs?: number
  /**
   * From a change that did not wait for others until its message was sent, in milliseconds; absent where all
   * may have waited.
   */
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
  writtenAt: number
  /** What the last look took, and the message that it was of. */
  taken: { readonly look: string; readonly moments: readonly number[]; readonly beganAt: number } | undefined
}

/** The record of a key may be of a moment after its message was sent: the answer of the queue comes later. */
const ANSWER_MS = 50
const LONG_AGO = Number.NEGATIVE_INFINITY
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
    const entry: OfKey = { waiting: [], lastAt: LONG_AGO, writtenAt: LONG_AGO, taken: undefined }
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
      const { message, time } = record
      const name = message?.ids?.join() ?? message?.sentAt ?? time
      const writtenAt = Date.parse(time)
      const before = entry.writtenAt
      entry.writtenAt = writtenAt
      const isNew = entry.taken?.look !== name
      const sentAt = message?.sentAt === undefined ? writtenAt : Date.parse(message.sentAt)
      const { moments, sendMs } = isNew
        ? take(entry, sentAt)
        : { moments: entry.taken?.moments ?? [], sendMs: undefined }
      const beganAt = isNew ? Math.max(sentAt, before) : (entry.taken?.beganAt ?? sentAt)
      entry.taken = { look: name, moments, beganAt }
      const lookMs = message?.receiveCount === 1 ? { lookMs: writtenAt - beganAt } : {}
      return { look: name, moments, ...lookMs, ...(sendMs !== undefined && { sendMs }) }
    },
  }
}

/** Takes what was sent by then. */
function take(entry: OfKey, sentAt: number): { moments: readonly number[]; sendMs: number | undefined } {
  const isSent = ({ at }: Sent): boolean => at <= sentAt + ANSWER_MS
  const sent = entry.waiting.filter(isSent)
  entry.waiting = entry.waiting.filter((each) => !isSent(each))
  const [first = sentAt, ...others] = sent.flatMap((each) => each.moments).sort((a, b) => a - b)
  const wasQuiet = sent.length === 1 && sent[0]?.isFirst === true
  // Where the relay's records are missing, the message was sent as soon as the change came.
  return { moments: [first, ...others], sendMs: wasQuiet ? Math.max(0, sentAt - first) : undefined }
}

/**
 * The moment of one of `count` changes, of which the moments of some are known: the last of both belong
 * together.
 */
export function momentOf(moments: readonly number[], index: number, count: number): number {
  const place = Math.ceil(((index + 1) * moments.length) / count) - 1
  return moments[place] ?? 0
}
