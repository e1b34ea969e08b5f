import type { SQSRecord } from 'aws-lambda'
import { keyText, mergeChanges } from '../../shared/changes/index.ts'
import { type KeyMessage, MalformedMessageError, parseMessage } from '../../shared/queue/index.ts'
import { receiveCountOf, sentTimestampOf } from './batch-task.ts'

/** One key of a batch, with every message that asks for it. */
export interface BatchKey {
  /** The messages' hints merged: the earliest triggerTime and the newest resourceVersion. */
  readonly message: KeyMessage
  readonly records: readonly SQSRecord[]
  /** The highest receive count of its messages, from 1. */
  readonly receiveCount: number
  /** When the latest of its messages was sent, in milliseconds since the epoch. */
  readonly sentTimestamp: number
}

/** A message that {@link parseMessage} refused. */
export interface MalformedRecord {
  readonly record: SQSRecord
  readonly error: MalformedMessageError
}

export interface BatchContents {
  readonly keys: readonly BatchKey[]
  readonly malformed: readonly MalformedRecord[]
}

/** Reads a batch: several messages of one key become one, as a key only means "look again". */
export function readBatch(records: readonly SQSRecord[]): BatchContents {
  const malformed: MalformedRecord[] = []
  const byKey = new Map<string, BatchKey>()
  for (const record of records) {
    const message = parseRecord(record)
    if (message instanceof MalformedMessageError) {
      malformed.push({ record, error: message })
      continue
    }
    const key = keyText(message)
    const known = byKey.get(key)
    const added = {
      message,
      records: [record],
      receiveCount: receiveCountOf(record),
      sentTimestamp: sentTimestampOf(record),
    }
    byKey.set(key, known === undefined ? added : mergeKeys(known, added))
  }
  return { keys: [...byKey.values()], malformed }
}

function parseRecord({ body }: SQSRecord): KeyMessage | MalformedMessageError {
  try {
    return parseMessage(body)
  } catch (err) {
    if (err instanceof MalformedMessageError) return err
    throw err
  }
}

function mergeKeys(a: BatchKey, b: BatchKey): BatchKey {
  const [earlier, later] = a.sentTimestamp <= b.sentTimestamp ? [a, b] : [b, a]
  return {
    message: mergeChanges(earlier.message, later.message),
    records: [...a.records, ...b.records],
    receiveCount: Math.max(a.receiveCount, b.receiveCount),
    sentTimestamp: later.sentTimestamp,
  }
}
