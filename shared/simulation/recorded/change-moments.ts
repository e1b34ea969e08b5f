import { type KeyText, keyText } from '../../changes/index.ts'
import type { ChangeRecord, WriteRecord } from '../../recording/index.ts'
import type { SyncEvent } from '../workloads/index.ts'

/** Finds when the relay received the changes behind a write, in milliseconds since the epoch. */
interface ChangeMoments {
  /** @returns the durations of finished steps, each with its time */
  add(record: ChangeRecord): SyncEvent[]
  /** Takes the changes of the key that were sent by then. All writes of one sync share them. */
  of(record: WriteRecord): Answered
}

/** Changes that a sync publishes. */
export interface Answered {
  /** Identifies the sync of a key: all writes of one sync have the same. */
  readonly sync: string
  /** Times at which the relay received them, in order; at least one. */
  readonly moments: readonly number[]
  /** Durations of finished steps, each with its time. */
  readonly steps: readonly SyncEvent[]
}

interface Sent {
  /** Time at which the queue had accepted the key. */
  readonly at: number
  readonly moments: readonly number[]
  /** Whether the key had been quiet, so that the change did not wait. */
  readonly isFirst: boolean
}

/** A sync that has written. */
interface WritingSync {
  readonly name: string
  readonly moments: readonly number[]
  /** Time at which the queue accepted the last of its keys; NaN if there are none. */
  readonly acceptedAt: number
  /**
   * Time at which its message was sent, or at which the previous sync of the key ended. NaN for a message
   * that was received more than once.
   */
  readonly beganAt: number
  readonly isWhole: boolean
  readonly firstAt: number
  lastAt: number
  writes: number
}

interface OfKey {
  waiting: Sent[]
  acceptedAt: number
  writtenAt: number
  sync: WritingSync | undefined
}

/** A key is recorded after the queue has answered: at most this long after its message was sent. */
const ANSWER_MS = 1_000
/** Tolerance: both times are rounded and may come from two clocks. */
const CLOCKS_MS = 2
const LONG_AGO = Number.NEGATIVE_INFINITY
/** Time after which a key counts as quiet: the default delays are shorter. */
const QUIET_MS = 2_000
/** Number of remembered sends of a key that is never written: the latest. */
const MAX_WAITING = 16

export function createChangeMoments(): ChangeMoments {
  const keys = new Map<KeyText, OfKey>()

  function entryOf(record: ChangeRecord | WriteRecord): OfKey {
    const key = keyText(record)
    const known = keys.get(key)
    if (known !== undefined) return known
    const entry: OfKey = { waiting: [], acceptedAt: LONG_AGO, writtenAt: LONG_AGO, sync: undefined }
    keys.set(key, entry)
    return entry
  }

  return {
    add(record) {
      const entry = entryOf(record)
      const { waiting, sync, acceptedAt } = entry
      const at = Date.parse(record.time)
      const isFirst = record.count === 1 && record.ages !== undefined && at - acceptedAt > QUIET_MS
      entry.acceptedAt = at
      waiting.push({ at, moments: (record.ages ?? [0]).map((age) => at - age), isFirst })
      if (waiting.length > MAX_WAITING) waiting.shift()
      if (record.seen === undefined || sync?.acceptedAt !== acceptedAt) return []
      const ms = acceptedAt + record.seen - sync.firstAt
      return [{ atMs: sync.firstAt, sync: { step: 'seeing', ms } }]
    },
    of(record) {
      const entry = entryOf(record)
      const { message, time } = record
      const name = message?.ids?.join() ?? message?.sentAt ?? time
      const at = Date.parse(time)
      const before = entry.writtenAt
      entry.writtenAt = at
      if (entry.sync?.name === name) {
        entry.sync.lastAt = at
        entry.sync.writes++
        return { sync: name, moments: entry.sync.moments, steps: [] }
      }
      const sentAt = message?.sentAt === undefined ? at : Date.parse(message.sentAt)
      const { moments, acceptedAt, steps } = take(entry, sentAt, message?.ids?.length)
      if (entry.sync !== undefined) steps.push(...durationOf(entry.sync))
      const beganAt = message?.receiveCount === 1 ? Math.max(sentAt, before) : Number.NaN
      const isWhole = record.sync === 'whole'
      entry.sync = { name, moments, acceptedAt, beganAt, isWhole, firstAt: at, lastAt: at, writes: 1 }
      return { sync: name, moments, steps }
    },
  }
}

function durationOf({ writes, beganAt, isWhole, firstAt: atMs, lastAt }: WritingSync): SyncEvent[] {
  const ms = atMs - beganAt
  if (Number.isNaN(ms)) return []
  if (writes === 1) return [{ atMs, sync: { step: isWhole ? 'wholeSingle' : 'single', ms } }]
  return [{ atMs, sync: { step: isWhole ? 'wholeSeveral' : 'several', ms, spreadMs: lastAt - atMs } }]
}

/**
 * Takes the sends up to then: the first key that is not older than the message, and those before it. The
 * sync belongs to as many of these as it had messages: earlier ones had syncs without writes.
 */
function take(
  entry: OfKey,
  sentAt: number,
  messages = MAX_WAITING,
): Pick<WritingSync, 'moments' | 'acceptedAt'> & { steps: SyncEvent[] } {
  const own = entry.waiting.findIndex(({ at }) => at >= sentAt - CLOCKS_MS)
  const isOwn = (entry.waiting[own]?.at ?? Number.POSITIVE_INFINITY) <= sentAt + ANSWER_MS
  const gone = entry.waiting.splice(0, own < 0 ? entry.waiting.length : own + (isOwn ? 1 : 0))
  const sent = gone.slice(-messages)
  const [first = sentAt, ...others] = sent.flatMap((each) => each.moments).sort((a, b) => a - b)
  const wasQuiet = sent.length === 1 && sent[0]?.isFirst === true
  return {
    // Without records of the relay, the message counts as sent at the time of the change.
    moments: [first, ...others],
    acceptedAt: sent.at(-1)?.at ?? Number.NaN,
    steps: wasQuiet ? [{ atMs: first, sync: { step: 'sending', ms: Math.max(0, sentAt - first) } }] : [],
  }
}

/** Returns the time of one of `count` changes, some of whose times are known; the last of both match. */
export function momentOf(moments: readonly number[], index: number, count: number): number {
  const place = Math.ceil(((index + 1) * moments.length) / count) - 1
  return moments[place] ?? 0
}
