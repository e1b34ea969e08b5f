import {
  type Change,
  createPendingChanges,
  type KeyText,
  keyText,
  type WaitingChange,
} from '../../shared/changes/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'

export interface OutboxOptions {
  readonly sender: QueueSender
  readonly logger: Log
  /** A key is sent at most once in so many milliseconds. */
  readonly windowMs: number
  readonly onSent?: (keys: number) => void
  /** Told of each key that the queue refuses for ever. */
  readonly onRejected?: (key: Change) => void
}

/**
 * Keys on their way to one lane. A key stays here until the queue has accepted it; while the queue refuses, further
 * changes of a key merge into the one that waits, so that what waits is never more than the keys there are.
 */
export interface Outbox {
  add(changes: readonly Change[]): void
  /** Keys not yet accepted by the queue. */
  readonly size: number
  /** The same by name. */
  keys(): Set<KeyText>
  /** For how long the oldest of them has waited, in milliseconds; 0 without one. */
  oldestMs(): number
  /** Sends what waits without regard to windows. Resolves to the number of keys that could not be sent before `signal` aborted. */
  drain(signal: AbortSignal): Promise<number>
}

/** Keys handed to the sender at a time: ten requests of ten messages. */
const SEND_LIMIT = 100
/** Sendings at once; while they run further changes of waiting keys merge. */
const MAXIMUM_SENDINGS = 4

export function createOutbox({ sender, logger, windowMs, onSent, onRejected }: OutboxOptions): Outbox {
  const abort = new AbortController()
  const running = new Set<Promise<void>>()
  const inFlight = new Set<readonly WaitingChange[]>()
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

  async function send(waiting: readonly WaitingChange[]): Promise<void> {
    inFlight.add(waiting)
    const changes = waiting.map(({ change }) => change)
    const { accepted, rejected } = await sender.send(changes, abort.signal)
    inFlight.delete(waiting)
    const done = new Set([...accepted, ...rejected.map(({ item }) => item)].map(keyText))
    pending.putBack(waiting.filter(({ change }) => !done.has(keyText(change))))
    for (const { item, reason } of rejected) {
      logger.error({ ...item, reason }, 'the queue refuses this key for ever; it is dropped')
      onRejected?.(item)
    }
    if (accepted.length > 0) onSent?.(accepted.length)
  }

  function* unaccepted(): Generator<WaitingChange> {
    for (const waiting of inFlight) yield* waiting
    yield* pending.waiting()
  }

  return {
    add(changes) {
      for (const change of changes) pending.add(change)
    },
    get size() {
      return [...inFlight].reduce((sum, { length }) => sum + length, pending.size)
    },
    keys() {
      const keys = new Set<KeyText>()
      for (const { change } of unaccepted()) keys.add(keyText(change))
      return keys
    },
    oldestMs() {
      const now = performance.now()
      let oldest = now
      for (const { since } of unaccepted()) oldest = Math.min(oldest, since)
      return now - oldest
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
