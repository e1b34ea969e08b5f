import {
  type Change,
  createPendingChanges,
  type Delay,
  type KeyText,
  keyText,
  type ServiceKey,
  type TokenBucket,
  type WaitingChange,
} from '../../shared/changes/index.ts'
import type { KeyMessage, QueueSender } from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { SendTraces } from '../../shared/tracing/index.ts'

export interface OutboxOptions {
  readonly sender: QueueSender
  readonly logger: Log
  /** Returns how long a key rests once it was sent. */
  readonly delayOf: (key: ServiceKey) => Delay
  /** Whether nobody need look for what a change tells, asked of those that rested. Default: no. */
  readonly isSettled?: (change: Change) => boolean
  /** Default: as many keys as come. */
  readonly pace?: TokenBucket
  /** Makes the message of a change as it is handed to the sender; default: the change. */
  readonly messageOf?: (change: Change) => KeyMessage
  /** Traces what is sent; default: nothing is. */
  readonly traces?: SendTraces | undefined
  /** Called with what the queue has accepted. */
  readonly onSent?: (messages: readonly KeyMessage[]) => void
  /** Called with each key that the queue refuses for ever. */
  readonly onRejected?: (key: KeyMessage) => void
}

/**
 * Keys on their way to one lane. A key stays here until the queue has accepted it; while the queue refuses,
 * further changes of a key merge into the one that waits, so that what waits is never more than the keys
 * there are.
 */
export interface Outbox {
  add(changes: readonly Change[]): void
  /** Notes that the Service's slices were seen written: its key need not rest for that any longer. */
  written(key: ServiceKey): void
  /** Keys not yet accepted by the queue. */
  readonly size: number
  /** Returns the waiting keys by name. */
  keys(): Set<KeyText>
  /** Returns the age of the oldest of them, in milliseconds; 0 without one. */
  oldestMs(): number
  /**
   * Sends what waits, whatever rests. Resolves to the number of keys that could not be sent before `signal`
   * aborted.
   */
  drain(signal: AbortSignal): Promise<number>
}

/** Keys handed to the sender at a time: ten requests of ten messages. */
const MAX_KEYS_PER_SEND = 100
/** Sendings at once; while they run further changes of waiting keys merge. */
const MAX_SENDS = 4

export function createOutbox({
  sender,
  logger,
  delayOf,
  isSettled,
  pace,
  messageOf = (change) => change,
  traces,
  onSent,
  onRejected,
}: OutboxOptions): Outbox {
  const abort = new AbortController()
  const running = new Set<Promise<void>>()
  const inFlight = new Set<readonly WaitingChange[]>()
  const pending = createPendingChanges({ delayOf, isSettled, onDue: () => setImmediate(pump) })
  let paused: NodeJS.Timeout | undefined
  let isEnding = false

  function pump(): void {
    while (running.size < MAX_SENDS && !abort.signal.aborted) {
      const changes = pending.take(sendable())
      if (changes.length === 0) return
      pace?.sent(changes.length)
      const sending = send(changes).finally(() => {
        running.delete(sending)
        pump()
      })
      running.add(sending)
    }
  }

  /** Returns how many keys may be sent now. If there are none, sending goes on once one may. */
  function sendable(): number {
    if (pace === undefined || isEnding) return MAX_KEYS_PER_SEND
    const left = pace.left()
    if (left === 0) paused ??= setTimeout(resume, pace.waitMs())
    return Math.min(MAX_KEYS_PER_SEND, left)
  }

  function resume(): void {
    paused = undefined
    pump()
  }

  async function send(waiting: readonly WaitingChange[]): Promise<void> {
    inFlight.add(waiting)
    const now = performance.now()
    const messages = waiting.map(({ change, since }) => {
      const message = messageOf(change)
      return traces?.sending(message, now - since) ?? message
    })
    const { accepted, rejected } = await sender.send(messages, abort.signal)
    inFlight.delete(waiting)
    if (traces) for (const message of accepted) traces.sent(message)
    const done = new Set([...accepted, ...rejected.map(({ item }) => item)].map(keyText))
    pending.putBack(waiting.filter(({ change }) => !done.has(keyText(change))))
    for (const { item, reason } of rejected) {
      const { cluster, namespace, service } = item
      logger.error(
        { cluster, namespace, service, reason },
        'the queue rejects this key permanently; dropping it',
      )
      onRejected?.(item)
    }
    if (accepted.length > 0) onSent?.(accepted)
  }

  function* unaccepted(): Generator<WaitingChange> {
    for (const waiting of inFlight) yield* waiting
    yield* pending.waiting()
  }

  return {
    add(changes) {
      for (const change of changes) pending.add(change)
    },
    written: pending.written,
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
      isEnding = true
      clearTimeout(paused)
      pending.flush()
      pump()
      while (running.size > 0) await Promise.all(running)
      return pending.size
    },
  }
}
