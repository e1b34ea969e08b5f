import type { SQSRecord } from 'aws-lambda'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Task } from './batch-run.ts'

/** One key of a batch with all its messages, or one message that is none. */
export interface BatchTask extends Task {
  readonly records: readonly SQSRecord[]
  /** Absent for a message that could not be read. */
  readonly message?: KeyMessage
  /** What a log line says of it; never the body. */
  readonly fields: object
}

/** How often the queue has handed out a message, from 1. */
export const receiveCountOf = ({ attributes }: SQSRecord): number =>
  Number(attributes.ApproximateReceiveCount)

/** When a message was sent, in milliseconds since the epoch. */
export const sentTimestampOf = ({ attributes }: SQSRecord): number => Number(attributes.SentTimestamp)
