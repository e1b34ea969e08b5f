import type { Engine, ObjectEvent, Outcome } from '../engine/index.ts'
import { type ConsumeOptions, consume, type ViewHandler } from './consume.ts'
import { Subscription, type SubscriptionOptions, type ViewSubscription } from './subscription.ts'

export interface LiveViewsOptions {
  /** Events that may wait for a consumer before the source of changes has to wait for it. Default 1000. */
  readonly highWaterMark?: number
}

/** An engine with consumers of its views. */
export interface LiveViews {
  /**
   * Applies events as the engine does. Resolves once every consumer has room again, so that a caller that
   * awaits it is no faster than the slowest consumer.
   */
  apply(...events: readonly ObjectEvent[]): Promise<Outcome>
  sync(controller?: string): Promise<Outcome>
  subscribe(options?: SubscriptionOptions): ViewSubscription
  /**
   * Calls the handler with one event at a time until the signal aborts. An event whose handling fails comes
   * again, with back-off, together with what happened to its object meanwhile; events of other objects do not
   * wait for it.
   */
  consume(handler: ViewHandler, options: ConsumeOptions): Promise<void>
}

/**
 * @param engine that was started; changes must go through here from now on
 * @example
 * ```ts
 * const engine = createEngine(await loadSpecFile('names.yaml'))
 * engine.start()
 * const live = createLiveViews(engine)
 * const subscription = live.subscribe()
 * const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } }
 * await live.apply({ type: 'Upserted', object })
 * for await (const { type, object } of subscription) {
 *   `${type} ${object.metadata.name}` // => 'Added web'
 *   break
 * }
 * ```
 */
export function createLiveViews(engine: Engine, { highWaterMark = 1000 }: LiveViewsOptions = {}): LiveViews {
  const subscriptions = new Set<Subscription>()

  async function publish(outcome: Outcome): Promise<Outcome> {
    for (const subscription of subscriptions) subscription.push(outcome.view)
    await Promise.all([...subscriptions].map((subscription) => subscription.room(highWaterMark)))
    return outcome
  }

  function subscribe(options: SubscriptionOptions = {}): ViewSubscription {
    const subscription = new Subscription(options, engine.views(), (closed) => subscriptions.delete(closed))
    subscriptions.add(subscription)
    return subscription
  }

  return {
    apply: (...events) => publish(engine.apply(...events)),
    sync: (controller) => publish(engine.sync(controller)),
    subscribe,
    consume: (handler, options) => consume(subscribe(options), handler, options),
  }
}
