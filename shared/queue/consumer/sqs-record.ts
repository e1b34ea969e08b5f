import type { SQSRecord } from 'aws-lambda'

/** Returns how often the queue has handed out a message, from 1. */
export const receiveCountOf = ({ attributes }: SQSRecord): number =>
  Number(attributes.ApproximateReceiveCount)

/** Returns when a message was sent, in milliseconds since the epoch. */
export const sentTimestampOf = ({ attributes }: SQSRecord): number => Number(attributes.SentTimestamp)
