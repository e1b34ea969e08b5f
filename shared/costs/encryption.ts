import type { CostLine } from './cost-line.ts'
import type { DeploymentSize } from './deployment-size.ts'
import type { Load } from './load.ts'
import { PRICES } from './prices.ts'
import { SECONDS_A_MONTH } from './usage.ts'

/** A queue keeps a data key for so long, by default. */
const REUSE_SECONDS = 300
/** A sender has a data key made and decrypts it; whoever receives decrypts. */
const CALLS_OF_SENDER = 2
/** Share of the objects that have KMS called where the bucket has a key of its own. */
const BUCKET_KEY_SHARE = 0.01

/**
 * Computes what a KMS key of one's own costs, with its calls. Those of queues are the most that there can be,
 * by AWS' formula in the developer guide of SQS, "Key management".
 */
export function keyLine({ encryptionKey, relayShards, recording }: DeploymentSize, changes: Load): CostLine {
  const periods = encryptionKey ? SECONDS_A_MONTH / REUSE_SECONDS : 0
  // The relays send to both lanes, and the schedule of the audit to one.
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
