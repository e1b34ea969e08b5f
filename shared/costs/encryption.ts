import type { CostLine } from './cost-line.ts'
import type { DeploymentSize } from './deployment-size.ts'
import type { Load } from './load.ts'
import { PRICES } from './prices.ts'
import { SECONDS_A_MONTH } from './usage.ts'

/** Seconds for which SQS reuses a data key, by default. */
const REUSE_SECONDS = 300
/** A sender generates and decrypts a data key; a receiver decrypts it. */
const CALLS_OF_SENDER = 2
/** Share of the objects that cause a KMS call if the bucket has a bucket key. */
const BUCKET_KEY_SHARE = 0.01

/**
 * Computes the cost of a customer managed KMS key and its calls. The calls of queues are an upper bound, by
 * AWS' formula in the developer guide of SQS, "Key management".
 */
export function keyLine({ encryptionKey, relayShards, recording }: DeploymentSize, changes: Load): CostLine {
  const periods = encryptionKey ? SECONDS_A_MONTH / REUSE_SECONDS : 0
  // The relays send to both lanes; the schedule of the audit sends to one.
  const senders = 2 * relayShards + 1
  const receivers = 2
  const calls = periods * (CALLS_OF_SENDER * senders + receivers)
  const objects = encryptionKey ? changes.keys * recording * BUCKET_KEY_SHARE : 0
  const { keyMonth, millionCalls } = PRICES.kms
  return {
    what: 'KMS key',
    terms: [
      { quantity: encryptionKey ? 1 : 0, unit: 'key', price: keyMonth },
      { quantity: calls / 1e6, unit: 'M calls of queues', price: millionCalls },
      { quantity: objects / 1e6, unit: 'M calls of recordings', price: millionCalls },
    ],
    why: encryptionKey
      ? `each queue: ${CALLS_OF_SENDER} calls a sender and one a receiver in ${REUSE_SECONDS} s; ${100 * BUCKET_KEY_SHARE} % of recorded objects`
      : 'encryptionKey none',
  }
}
