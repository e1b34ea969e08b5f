import { type Change, createPendingChanges } from '../../shared/changes/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'

export interface OutboxOptions {
  readonly sender: QueueSender
  readonly logger: Log
  /** A key is sent at most once in so many milliseconds. */
  readonly windowMs: number
  readonly onSent?: (keys: number) => void
}

/** Keys on their way to one lane. A key stays here until the queue has accepted it. */
export interface Outbox {
  add(changes: readonly Change[]): void
  /** Keys not yet accepted by the queue. */
  readonly size: number
  /** Sends what waits without regard to windows. Resolves to the number of keys that could not be sent before `signal` aborted. */
  drain(signal: AbortSignal): Promise<number>
}

/** Keys handed to the sender at a time: ten requests of ten messages. */
const SEND_LIMIT = 100
/** Sendings at once; while they run further changes of waiting keys merge. */
const MAXIMUM_SENDINGS = 4

export function createOutbox({ sender, logger, windowMs, onSent }: OutboxOptions): Outbox {
  const abort = new AbortController()
  const running = new Set<Promise<void>>()
  let inFlight = 0
  const pending = createPendingChanges({ windowMs, onDue: () => setImmediate(pump) })

  function pump(): void {
    while (running.size < MAXIMUM_SENDINGS && !abort.signal.aborted) {
      const changes = pending.take(SEND_LIMIT)
      if (changes.length === 0) return
      const sending = send(changes).finally(() => {
        running.delete(sending)
        pump()
      })
      running.add(sending)
    }
  }

  async function send(changes: readonly Change[]): Promise<void> {
    inFlight += changes.length
    const { accepted, rejected, unsent } = await sender.send(changes, abort.signal)
    inFlight -= changes.length
    pending.putBack(unsent)
    for (const { item, reason } of rejected)
      logger.error({ ...item, reason }, 'the queue refuses this key for ever; it is dropped')
    if (accepted.length > 0) onSent?.(accepted.length)
  }

  return {
    add(changes) {
      for (const change of changes) pending.add(change)
    },
    get size() {
      return pending.size + inFlight
    },
    async drain(signal) {
      signal.addEventListener('abort', () => abort.abort(), { once: true })
      if (signal.aborted) abort.abort()
      pending.flush()
      pump()
      while (running.size > 0) await Promise.all(running)
      return pending.size
    },
  }
}
