import type { Message, ReceiveMessageCommandInput } from '@aws-sdk/client-sqs'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../../shared/kubernetes/index.ts'
import type { QueueClient } from '../../../shared/queue/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'

export interface ReceiveOptions {
  readonly client: QueueClient
  readonly queueUrl: string
  readonly logger: Log
  readonly signal: AbortSignal
}

/** SQS hands out at most 10 messages a receive. */
const MAX_RECEIVED = 10
/** SQS' longest long poll. */
const LONG_POLL_SECONDS = 20
/** An answer to a long poll of 20 s that has not come by then will not come: the connection is dead. */
const RECEIVE_TIMEOUT_MS = 30_000
/** Quick to notice that a queue on this machine is back. */
const OUTAGE_BACKOFF: Backoff = { baseMs: 100, capMs: 5000 }

/**
 * Creates a long poll that never rejects. After an error, it logs it, waits with back-off, and returns no
 * messages. A poll that the signal aborts returns none either.
 */
export function createReceive({ client, queueUrl, logger, signal }: ReceiveOptions) {
  const input: ReceiveMessageCommandInput = {
    QueueUrl: queueUrl,
    MaxNumberOfMessages: MAX_RECEIVED,
    WaitTimeSeconds: LONG_POLL_SECONDS,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  }
  let failures = 0
  return async (): Promise<readonly Message[]> => {
    const deadConnection = new AbortController()
    const timer = setTimeout(() => deadConnection.abort(), RECEIVE_TIMEOUT_MS)
    try {
      const abortSignal = AbortSignal.any([signal, deadConnection.signal])
      const { Messages = [] } = await client.receiveMessage(input, { abortSignal })
      if (failures > 0) logger.info({ queueUrl, failures }, 'the queue answers again')
      failures = 0
      return Messages
    } catch (err) {
      if (signal.aborted) return []
      logger.warn({ err, queueUrl, failures: ++failures }, 'failed to receive messages: trying again')
      await sleepUnlessAborted(backoffDelay(failures - 1, OUTAGE_BACKOFF), signal)
      return []
    } finally {
      clearTimeout(timer)
    }
  }
}
