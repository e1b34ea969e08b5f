import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../kubernetes/index.ts'
import type { ViewEvent, ViewObject } from '../engine/index.ts'
import type { SubscriptionOptions, ViewSubscription } from './subscription.ts'

/** May get an event more than once; rejects or throws to get it again. */
export type ViewHandler = (event: ViewEvent) => Promise<void> | void

export interface ConsumeOptions extends SubscriptionOptions {
  readonly signal: AbortSignal
  /** Called for each failure of the handler, which is tried again after `retryMs`. */
  readonly onError?: (error: unknown, event: ViewEvent, retryMs: number) => void
  /** Default 200 ms doubling to 30 s, with full jitter. */
  readonly backoff?: Backoff
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 200, capMs: 30_000 }

/** An object whose event is being handled, or waits for the next attempt after a failure. */
interface Parked {
  event: ViewEvent
  /** All that happened since, as one event. */
  next: ViewEvent | undefined
  failures: number
}

/** Handles the events of a subscription until the signal aborts; never rejects because of the handler. */
export async function consume(
  subscription: ViewSubscription,
  handler: ViewHandler,
  options: ConsumeOptions,
): Promise<void> {
  const { signal } = options
  const close = (): void => subscription.close()
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
  const retries = new Retries(handler, options)
  try {
    for await (const event of subscription) await retries.handle(event)
  } finally {
    signal.removeEventListener('abort', close)
  }
  await retries.ended()
}

class Retries {
  readonly #handler: ViewHandler
  readonly #options: ConsumeOptions
  readonly #parked = new Map<string, Parked>()
  readonly #running = new Set<Promise<void>>()
  /** The handler runs once at a time. */
  #turn: Promise<void> = Promise.resolve()

  constructor(handler: ViewHandler, options: ConsumeOptions) {
    this.#handler = handler
    this.#options = options
  }

  /** Handles an event. While an earlier one of its object is not done, it waits and is merged with others. */
  async handle(event: ViewEvent): Promise<void> {
    const key = keyOf(event.object)
    const parked = this.#parked.get(key)
    if (parked !== undefined) parked.next = parked.next === undefined ? event : together(parked.next, event)
    else await this.#try(key, { event, next: undefined, failures: 0 })
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #try(key: string, parked: Parked): Promise<void> {
    this.#parked.set(key, parked)
    try {
      await this.#inTurn(parked.event)
    } catch (error) {
      this.#retryLater(key, parked, error)
      return
    }
    if (parked.next === undefined) this.#parked.delete(key)
    else await this.#try(key, { event: parked.next, next: undefined, failures: 0 })
  }

  #retryLater(key: string, parked: Parked, error: unknown): void {
    const { signal, backoff = DEFAULT_BACKOFF, onError } = this.#options
    const retryMs = backoffDelay(parked.failures, backoff)
    onError?.(error, parked.event, retryMs)
    const retry = this.#retry(key, parked, sleepUnlessAborted(retryMs, signal))
    this.#running.add(retry)
    void retry.finally(() => this.#running.delete(retry))
  }

  async #retry(key: string, parked: Parked, waited: Promise<boolean>): Promise<void> {
    if (!(await waited)) return
    const { event, next, failures } = parked
    const now = next === undefined ? event : together(event, next)
    await this.#try(key, { event: now, next: undefined, failures: failures + 1 })
  }

  #inTurn(event: ViewEvent): Promise<void> {
    const done = this.#turn.then(() => this.#handler(event))
    this.#turn = done.catch(() => undefined)
    return done
  }
}

const keyOf = ({ apiVersion, kind, metadata }: ViewObject): string =>
  JSON.stringify([apiVersion, kind, metadata.namespace ?? '', metadata.name])

/** Merges two events in a row, of which the first was not handled. */
function together(first: ViewEvent, second: ViewEvent): ViewEvent {
  const { old } = first
  if (second.type === 'Deleted') return { type: 'Deleted', object: second.object, old: second.old }
  return old === undefined
    ? { type: 'Added', object: second.object }
    : { type: 'Updated', object: second.object, old }
}
