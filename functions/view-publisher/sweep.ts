import { type KeyMessage, type QueueSender, sendBatches } from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { PublicationStore } from './store/publication-store.ts'

interface SweepOptions {
  readonly store: Pick<PublicationStore, 'keys'>
  /** Sender of the function's own queue. */
  readonly sender: QueueSender
  readonly logger: Log
  /** Ends it: keys that are not sent by then are an error. */
  readonly signal?: AbortSignal
}

/** Part of the keys could not be sent. */
export class SweepError extends Error {
  override readonly name = 'SweepError'
  readonly retryable = true
}

/** Keys handed to the sender at a time. */
const BATCH = 500

/**
 * Sends the key of everything that is published, or waits in an outbox, to the function's queue: this finds
 * Services that were deleted without a watch event, and sends changes whose message became a dead letter.
 * @returns how many
 * @throws SweepError
 */
export async function sweepPublications({ store, sender, logger, signal }: SweepOptions): Promise<number> {
  const { sent, problem } = await sendBatches(sender, batchesOf(store, signal), signal)
  if (problem !== undefined) throw new SweepError(problem)
  if (signal?.aborted) throw new SweepError(`failed to read all published keys in time: sent ${sent} of them`)
  logger.info({ keys: sent }, 'sent every published key to the queue')
  return sent
}

async function* batchesOf(store: SweepOptions['store'], signal?: AbortSignal): AsyncGenerator<KeyMessage[]> {
  let batch: KeyMessage[] = []
  for await (const key of store.keys()) {
    batch.push({ ...key, audit: true })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
    if (signal?.aborted) return
  }
  yield batch
}
