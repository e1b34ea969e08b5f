import type { SQSRecord } from 'aws-lambda'
import { keyText } from '../../changes/index.ts'
import {
  type KeyMessage,
  MalformedMessageError,
  mergeMessages,
  readMessage,
  traceparentOf,
  withoutNewAddresses,
} from '../index.ts'

/** One key of a batch, with every message that asks for it. */
export interface BatchKey {
  /** Stands for all of the messages; see {@link mergeMessages}. */
  readonly message: KeyMessage
  readonly records: readonly SQSRecord[]
  /** The highest receive count of its messages, from 1. */
  readonly receiveCount: number
  /**
   * Time at which the latest of its messages was sent, or later, in milliseconds since the epoch by the clock
   * of this process.
   */
  readonly sentTimestamp: number
}

/** A message that {@link readMessage} refused. */
export interface MalformedRecord {
  readonly record: SQSRecord
  readonly error: MalformedMessageError
}

export interface BatchContents {
  readonly keys: readonly BatchKey[]
  readonly malformed: readonly MalformedRecord[]
}

export interface ReadBatchOptions {
  /** In milliseconds since the epoch, by the clock that also times syncs; default: the machine's. */
  readonly now?: number
  /** Only processes of the same user can send to the queue. Default: false. */
  readonly isOwnQueue?: boolean | undefined
}

/** Reads a batch. Several messages of one key are merged, as a key only requests a sync. */
export function readBatch(
  records: readonly SQSRecord[],
  { now = Date.now(), isOwnQueue = false }: ReadBatchOptions = {},
): BatchContents {
  const aheadMs = clockAheadMs(records, now)
  const malformed: MalformedRecord[] = []
  const byKey = new Map<string, BatchKey>()
  for (const record of records) {
    const parsed = parseRecord(record)
    if (parsed instanceof MalformedMessageError) {
      malformed.push({ record, error: parsed })
      continue
    }
    const message = isOwnQueue ? parsed : withoutNewAddresses(parsed)
    const key = keyText(message)
    const known = byKey.get(key)
    const added = {
      message,
      records: [record],
      receiveCount: receiveCountOf(record),
      sentTimestamp: sentTimestampOf(record) + aheadMs,
    }
    byKey.set(key, known === undefined ? added : mergeKeys(known, added))
  }
  return { keys: [...byKey.values()], malformed }
}

/**
 * Computes how far our clock is ahead of the queue's, at most: the queue's own clock says when it handed out
 * the newest message, and that was before now. Taken at face value, a message sent now would seem to be as
 * old as our clock is ahead.
 */
function clockAheadMs(records: readonly SQSRecord[], now: number): number {
  const received = records.map(({ attributes }) => Number(attributes.ApproximateFirstReceiveTimestamp))
  return now - Math.max(...received)
}

function parseRecord(record: SQSRecord): KeyMessage | MalformedMessageError {
  const message = readMessage(record.body)
  const traceparent = traceparentOf(record)
  if (message instanceof MalformedMessageError || traceparent === undefined) return message
  return { ...message, traceparents: [traceparent] }
}

function mergeKeys(a: BatchKey, b: BatchKey): BatchKey {
  const [earlier, later] = a.sentTimestamp <= b.sentTimestamp ? [a, b] : [b, a]
  return {
    message: mergeMessages(earlier.message, later.message),
    records: [...a.records, ...b.records],
    receiveCount: Math.max(a.receiveCount, b.receiveCount),
    sentTimestamp: later.sentTimestamp,
  }
}

/** Returns how often the queue has handed out a message, from 1. */
export const receiveCountOf = ({ attributes }: SQSRecord): number =>
  Number(attributes.ApproximateReceiveCount)

/** Returns when a message was sent, in milliseconds since the epoch. */
export const sentTimestampOf = ({ attributes }: SQSRecord): number => Number(attributes.SentTimestamp)
