import type { SQSRecord } from 'aws-lambda'
import { keyText } from '../../shared/changes/index.ts'
import { type KeyMessage, MalformedMessageError, parseMessage } from '../../shared/queue/index.ts'

/** One key of a batch, with every message that asks for it. */
export interface BatchKey {
  /** The messages' hints merged: the earliest triggerTime and the newest resourceVersion. */
  readonly message: KeyMessage
  readonly records: readonly SQSRecord[]
  /** The highest receive count of its messages, from 1. */
  readonly receiveCount: number
  /** When the earliest of its messages was sent, in milliseconds since the epoch. */
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
      sentTimestamp: sentAt(record),
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

const receiveCountOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount)
const sentAt = ({ attributes }: SQSRecord): number => Number(attributes.SentTimestamp)

function mergeKeys(a: BatchKey, b: BatchKey): BatchKey {
  const [earlier, later] = a.sentTimestamp <= b.sentTimestamp ? [a, b] : [b, a]
  const triggerTime = earliestTime(a.message.triggerTime, b.message.triggerTime)
  const resourceVersion = newestVersion(earlier.message.resourceVersion, later.message.resourceVersion)
  const { cluster, namespace, service } = a.message
  return {
    message: {
      cluster,
      namespace,
      service,
      ...(triggerTime !== undefined && { triggerTime }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    records: [...a.records, ...b.records],
    receiveCount: Math.max(a.receiveCount, b.receiveCount),
    sentTimestamp: earlier.sentTimestamp,
  }
}

function earliestTime(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Date.parse(a) <= Date.parse(b) ? a : b
}

/** Versions are compared as numbers (KEP-5504); of two that are not numbers, the one that was sent later is taken. */
function newestVersion(earlier: string | undefined, later: string | undefined): string | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later
  const areNumbers = /^\d+$/.test(earlier) && /^\d+$/.test(later)
  return areNumbers && BigInt(earlier) > BigInt(later) ? earlier : later
}
