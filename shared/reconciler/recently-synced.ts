import { isAsNew } from '../changes/index.ts'
import type { ReconcileContext } from '../queue/consumer/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import { BoundedCache } from '../values/index.ts'

export interface SyncRecord {
  /** Time since which all was read that has no version here, in milliseconds since the epoch. */
  readonly began: number
  /** Version of the Pods and slices that were read, if they need not have been the newest. */
  readonly podsVersion?: string
  /** Version of the Nodes that were read, if they need not have been the newest. */
  readonly nodesVersion?: string
  /** Id of the history to which the versions belong. */
  readonly history?: string | undefined
}

/** The newest of a key's messages. Pods and Nodes of the versions that it names show what it reports. */
export type WaitingMessage = Pick<ReconcileContext, 'sentTimestamp' | 'receiveCount'> &
  Pick<KeyMessage, 'resourceVersion' | 'nodesVersion' | 'history'>

/** Milliseconds by which the queue's clock may be ahead of ours; younger messages are always reconciled. */
export const CLOCK_TOLERANCE_MS = 1_000
/** Longer than messages usually wait; what was forgotten is only synced once more. */
const REMEMBERED_MS = 15 * 60_000

/**
 * Remembers the last successful sync of each key. A message sent before it began needs no sync:
 * what it reports was there to be read. So a backlog of messages for few keys melts at once.
 */
export class RecentSyncs<K extends {}> {
  readonly #records: BoundedCache<K, SyncRecord>

  constructor(now: () => number = Date.now) {
    // Once the clock was set back, what is sent since would seem older than the syncs before.
    this.#records = new BoundedCache({ ttlMs: REMEMBERED_MS, now, isSettable: true })
  }

  cover(key: K, message: WaitingMessage): boolean {
    const record = this.#records.get(key)
    // An earlier receiver may have written something old, and died before it verified.
    if (record === undefined || message.receiveCount > 1) return false
    const areOrdered = record.history === message.history
    return (
      message.sentTimestamp + CLOCK_TOLERANCE_MS < record.began &&
      shows(record.podsVersion, message.resourceVersion, areOrdered) &&
      shows(record.nodesVersion, message.nodesVersion, areOrdered)
    )
  }

  remember(key: K, record: SyncRecord): void {
    if (record.began <= this.#records.now()) this.#records.set(key, record, { since: record.began })
  }
}

/** Compares what a sync has read, absent if it was the newest, with what a message reports. */
const shows = (read: string | undefined, named: string | undefined, areOrdered: boolean): boolean =>
  read === undefined || (areOrdered && isAsNew(read, named))
