import { keyText } from '../../shared/changes/index.ts'
import type { KeyMessage, QueueSender } from '../../shared/queue/index.ts'
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
  let sent = 0
  let missing = 0
  let refusal = ''
  async function send(keys: readonly KeyMessage[]): Promise<void> {
    const { accepted, unsent, rejected } = await sender.send(keys, signal)
    sent += accepted.length
    missing += unsent.length + rejected.length
    for (const { item, reason } of rejected) refusal ||= `; ${keyText(item)}: ${reason}`
  }
  let batch: KeyMessage[] = []
  for await (const key of store.keys()) {
    batch.push({ ...key, audit: true })
    if (batch.length < BATCH) continue
    await send(batch)
    batch = []
    if (signal?.aborted) break
  }
  await send(batch)
  if (missing > 0)
    throw new SweepError(
      `failed to send ${missing} of ${sent + missing} published keys to the queue${refusal}`,
    )
  if (signal?.aborted) throw new SweepError(`failed to read all published keys in time: sent ${sent} of them`)
  logger.info({ keys: sent }, 'sent every published key to the queue')
  return sent
}
