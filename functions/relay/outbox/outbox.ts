import {
  type Change,
  createChangeQueue,
  type KeyText,
  keyFields,
  keyText,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import type { ProcessingTime, Queued, TokenBucket, WorkQueue } from '../../../shared/kubernetes/index.ts'
import { type KeyMessage, LANES, type Lane, type QueueSender } from '../../../shared/queue/index.ts'
import type { LaneReading, Log } from '../../../shared/telemetry/index.ts'
import type { SendTraces } from '../../../shared/tracing/index.ts'
import type { RelayTelemetry } from '../relay-options.ts'

/** How keys of one kind are sent. */
export interface SendRules {
  /** Says, as a key is sent, when it may be sent again. */
  readonly processingTime: (key: ServiceKey) => ProcessingTime
  /** Whether slices show the change already; asked of what waited until its key may be sent. Default: no. */
  readonly isSettled?: (change: Change) => boolean
  /** Names those of some deferred Pods that a sync of the change takes along. Default: none but its own. */
  readonly alongWith?: (change: Change, pods: readonly string[]) => readonly string[]
  /** Makes the message of a change as it is handed to the sender. Default: the change. */
  readonly messageOf?: (change: Change) => KeyMessage
  /** Bounds the keys a second, and those in flight. Default: as many as come. */
  readonly bucket?: Pick<TokenBucket, 'tokens' | 'take' | 'waitMs'>
  /** Default: nothing is traced. */
  readonly traces?: SendTraces | undefined
  /** Called with what the queue has accepted. */
  readonly onSent?: (messages: readonly KeyMessage[]) => void
  /** Called with each key that the queue refuses for ever. */
  readonly onRejected?: (key: KeyMessage) => void
}

interface OutboxOptions {
  readonly sender: QueueSender
  readonly logger: Log
  readonly rules: SendRules
}

/** Keys handed to the sender at a time: ten requests of ten messages. */
const MAX_KEYS_PER_SEND = 100
/** Sendings at once; while they run further changes of waiting keys merge. */
const MAX_SENDS = 4

/**
 * Keys on their way to one lane. A key stays here until the queue has accepted it; while the queue refuses,
 * further changes of a key merge into the one that waits, so that what waits is never more than the keys
 * there are.
 */
export class Outbox {
  readonly #sender: QueueSender
  readonly #logger: Log
  readonly #rules: SendRules
  readonly #queue: WorkQueue<Change>
  readonly #abort = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #inFlight = new Set<readonly Queued<Change>[]>()
  #timer: NodeJS.Timeout | undefined
  #isEnding = false

  constructor({ sender, logger, rules }: OutboxOptions) {
    this.#sender = sender
    this.#logger = logger
    this.#rules = rules
    const { processingTime, isSettled, alongWith } = rules
    const onReady = (): void => void setImmediate(() => this.#sendReady())
    this.#queue = createChangeQueue({ processingTime, isSettled, alongWith, onReady })
  }

  add(changes: readonly Change[]): void {
    for (const change of changes) this.#queue.add(change)
  }

  /** Notes that the watch delivered a write of the Service's slices: further changes need not wait for it. */
  written(key: ServiceKey): void {
    this.#queue.done(keyText(key))
    // It is not in flight any more.
    if (this.#timer !== undefined) this.#resume()
  }

  /** Keys not yet accepted by the queue. */
  get size(): number {
    return [...this.#inFlight].reduce((sum, { length }) => sum + length, this.#queue.length)
  }

  /** Returns these keys by name. */
  keys(): Set<KeyText> {
    const keys = new Set<KeyText>()
    for (const { item } of this.#unaccepted()) keys.add(keyText(item))
    return keys
  }

  /** Returns the age of the oldest of them, in milliseconds; 0 without one. */
  oldestMs(): number {
    const now = performance.now()
    let oldest = now
    for (const { since } of this.#unaccepted()) oldest = Math.min(oldest, since)
    return now - oldest
  }

  /** Sends all there is, without waiting. Resolves to the number of keys not sent when `signal` aborted. */
  async drain(signal: AbortSignal): Promise<number> {
    signal.addEventListener('abort', () => this.#abort.abort(), { once: true })
    if (signal.aborted) this.#abort.abort()
    this.#isEnding = true
    clearTimeout(this.#timer)
    this.#queue.flush()
    this.#sendReady()
    while (this.#running.size > 0) await Promise.all(this.#running)
    return this.#queue.length
  }

  #sendReady(): void {
    while (this.#running.size < MAX_SENDS && !this.#abort.signal.aborted) {
      const changes = this.#queue.get(this.#sendable())
      if (changes.length === 0) return
      this.#rules.bucket?.take(changes.length)
      const sending = this.#send(changes).finally(() => {
        this.#running.delete(sending)
        this.#sendReady()
      })
      this.#running.add(sending)
    }
  }

  /** Returns how many keys may be sent now. If there are none, sending goes on once one may. */
  #sendable(): number {
    const { bucket } = this.#rules
    if (bucket === undefined || this.#isEnding) return MAX_KEYS_PER_SEND
    const { tokens } = bucket
    if (tokens === 0) this.#timer ??= setTimeout(() => this.#resume(), Math.ceil(bucket.waitMs(1)))
    return Math.min(MAX_KEYS_PER_SEND, tokens)
  }

  #resume(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sendReady()
  }

  async #send(queued: readonly Queued<Change>[]): Promise<void> {
    this.#inFlight.add(queued)
    const { traces, onSent } = this.#rules
    const messages = this.#messagesOf(queued)
    const { accepted, rejected } = await this.#sender.send(messages, this.#abort.signal)
    this.#inFlight.delete(queued)
    if (traces) for (const message of accepted) traces.sent(message)
    const done = new Set([...accepted, ...rejected.map(({ item }) => item)].map(keyText))
    this.#queue.putBack(queued.filter(({ item }) => !done.has(keyText(item))))
    for (const { item, reason } of rejected) this.#reject(item, reason)
    if (accepted.length > 0) onSent?.(accepted)
  }

  #messagesOf(queued: readonly Queued<Change>[]): KeyMessage[] {
    const { messageOf = (change: Change) => change, traces } = this.#rules
    const now = performance.now()
    return queued.map(({ item: { deferrable: _, ...change }, since }) => {
      const message = messageOf(change)
      return traces?.sending(message, now - since) ?? message
    })
  }

  #reject(key: KeyMessage, reason: string): void {
    this.#logger.error({ ...keyFields(key), reason }, 'the queue rejects this key permanently; dropping it')
    this.#rules.onRejected?.(key)
  }

  *#unaccepted(): Generator<Queued<Change>> {
    for (const queued of this.#inFlight) yield* queued
    yield* this.#queue.waiting()
  }
}

interface LanesOptions {
  /** Stands for the keys' cluster in metrics. */
  readonly cluster: string
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly telemetry: RelayTelemetry
  readonly rules: Readonly<Record<Lane, SendRules>>
}

/** The outboxes of all lanes, with what is counted of them. */
export class Lanes {
  readonly live: Outbox
  readonly sweep: Outbox

  constructor(options: LanesOptions) {
    const { cluster, telemetry } = options
    // As 0 from the start: a counter that begins with its first failure has not increased.
    for (const lane of LANES) telemetry.metrics.count('keys_rejected', { cluster, lane }, 0)
    this.live = openOutbox('live', options)
    this.sweep = openOutbox('sweep', options)
  }

  /** Returns the keys not yet accepted by the queue. */
  waiting(): Set<KeyText> {
    return this.live.keys().union(this.sweep.keys())
  }

  readings(): LaneReading[] {
    return LANES.map((lane) => ({
      lane,
      pending: this[lane].size,
      oldestSeconds: this[lane].oldestMs() / 1000,
    }))
  }

  /** Sends all there is, without waiting. Resolves to the number of keys not sent when `signal` aborted. */
  async drain(signal: AbortSignal): Promise<number> {
    const unsent = await Promise.all(LANES.map((lane) => this[lane].drain(signal)))
    return unsent.reduce((sum, count) => sum + count, 0)
  }
}

function openOutbox(lane: Lane, { cluster, senders, telemetry, rules }: LanesOptions): Outbox {
  const { logger, metrics } = telemetry
  const { onSent, ...others } = rules[lane]
  return new Outbox({
    sender: senders[lane],
    logger,
    rules: {
      ...others,
      onSent(messages) {
        metrics.count('keys_sent', { cluster, lane }, messages.length)
        onSent?.(messages)
      },
      onRejected: () => metrics.count('keys_rejected', { cluster, lane }),
    },
  })
}
