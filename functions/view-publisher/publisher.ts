import type { ServiceKey } from '../../shared/changes/index.ts'
import { UnknownClusterError } from '../../shared/reconciler/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import {
  diffViews,
  evaluateViews,
  type OperatorSpec,
  type ViewEvent,
  type ViewObject,
} from '../../shared/views/index.ts'
import type { ReadService } from './service-reader.ts'
import { assertServiceSpec, publishedKinds } from './service-spec.ts'
import { type Delivery, type Sink, SinkError } from './sink.ts'
import type { Publication, PublicationStore } from './store/publication-store.ts'

export interface PublisherOptions {
  readonly spec: OperatorSpec
  readonly read: ReadService
  readonly store: PublicationStore
  readonly sinks: readonly Sink[]
  readonly logger: Log
  /** Milliseconds since 1970; default: the system's. */
  readonly now?: () => number
}

/** Publishes what became of one Service's views. Rejects where that must be tried again. */
export type Publish = (key: ServiceKey, signal: AbortSignal) => Promise<PublishOutcome>

interface PublishOutcome {
  /** Version of the views as they are published now; undefined if nothing ever was. */
  readonly version: number | undefined
  /** Changes that this call found. */
  readonly deltas: number
}

/** Others published the key again and again while this one tried. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError'
  readonly retryable = true
}

/** Each turn means that the views changed, or that somebody else published them meanwhile. */
const TURNS = 10
const NOTHING: Publication = { version: 0, views: [], pending: [], sinks: [] }

/**
 * Creates a publisher. It takes turns until one finds nothing to do:
 * 1. Read the last publication. What is in its outbox may or may not have been sent: send it (again).
 * 2. Read the Service and its slices, after 1, and make the views. So the writer of version n+1 has read
 *    objects at least as new as the writer of version n.
 * 3. Write views and changes, on condition that the publication is still the one of 1; else go back to 1.
 * 4. Send the changes, empty the outbox, and repeat: another worker may have read later than 2 and found
 *    everything right, before 3 made it wrong.
 * A crash between 3 and 4 leaves the changes in the outbox; the key's message comes back, and so do they in
 * 1. A sink that holds a state gets the views of 2 alone, also where 1 fails: it may have refused older ones.
 * @throws ServiceSpecError if the spec cannot be evaluated on one Service at a time
 */
export function createPublisher(options: PublisherOptions): Publish {
  assertServiceSpec(options.spec)
  const publisher = new Publisher(options)
  return async (key, signal) => {
    let deltas = 0
    for (let turn = 0; turn < TURNS; turn++) {
      signal.throwIfAborted()
      const done = await publisher.turn(key, signal)
      deltas += done.deltas
      if (done.isLast) return { version: done.version, deltas }
    }
    const { cluster, namespace, service } = key
    throw new OvertakenError(
      `failed to publish the views of ${namespace}/${service} of cluster ${cluster}: they changed ${TURNS} times meanwhile`,
    )
  }
}

/** Result of a turn. */
interface Turn extends PublishOutcome {
  /** Nothing was left to do. */
  readonly isLast: boolean
}

const OVERTAKEN: Turn = { isLast: false, version: undefined, deltas: 0 }

class Publisher {
  readonly #options: PublisherOptions
  readonly #kinds: ReadonlySet<string>
  readonly #stateful: readonly Sink[]
  /** Those without a state: they get changes. */
  readonly #listening: readonly Sink[]

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#kinds = publishedKinds(options.spec)
    this.#stateful = options.sinks.filter(({ holdsState }) => holdsState)
    this.#listening = options.sinks.filter(({ holdsState }) => !holdsState)
  }

  async turn(key: ServiceKey, signal: AbortSignal): Promise<Turn> {
    const { store, sinks, now = Date.now } = this.#options
    // 1.
    const last = await store.load(key)
    const { version: previous, views: before, pending } = last ?? NOTHING
    const sending = pending.length > 0 ? this.#listening : []
    const [outbox] = await Promise.allSettled([
      this.#deliver(sending, key, { version: previous, views: before, deltas: pending, signal }),
    ])
    // 2.
    const views = await this.#evaluate(key, last, signal)
    if (outbox.status === 'rejected') {
      await this.#deliver(this.#stateful, key, { version: previous, views, deltas: [], signal })
      throw outbox.reason
    }
    const deltas = this.#deltasOf(last, views)
    if (deltas.length === 0) return this.#confirm(key, last, signal)
    // 3.
    const version = Math.max(previous + 1, now())
    signal.throwIfAborted()
    const next = { version, views, pending: deltas, sinks: this.#listening.map(({ name }) => name) }
    if (!(await store.save(key, next, last?.version))) return OVERTAKEN
    // 4.
    await this.#deliver(sinks, key, { version, views, deltas, signal })
    await store.markSent(key, { version, views })
    return { isLast: false, version, deltas: deltas.length }
  }

  /** Lists what changed; for a sink that got none of the changes before, everything that is there. */
  #deltasOf(
    { views: before, sinks: known }: Publication = NOTHING,
    views: readonly ViewObject[],
  ): ViewEvent[] {
    const changes = diffViews(before, views)
    if (this.#listening.every(({ name }) => known.includes(name))) return changes
    return [...changes.filter(({ type }) => type === 'Deleted'), ...diffViews([], views)]
  }

  /**
   * Brings sinks that hold a state into line, and empties the outbox, which was sent; the last one to do so
   * must have had the latest version.
   */
  async #confirm(key: ServiceKey, last: Publication | undefined, signal: AbortSignal): Promise<Turn> {
    if (last === undefined) return { isLast: true, version: undefined, deltas: 0 }
    const { store } = this.#options
    const { version, views, pending } = last
    await this.#deliver(this.#stateful, key, { version, views, deltas: [], signal })
    const isLast =
      pending.length > 0
        ? await store.markSent(key, last)
        : this.#stateful.length === 0 || (await store.version(key)) === version
    return { isLast, version, deltas: 0 }
  }

  /** Makes the views; of a cluster that is no longer known they stay as they were published. */
  async #evaluate(
    key: ServiceKey,
    last: Publication | undefined,
    signal: AbortSignal,
  ): Promise<readonly ViewObject[]> {
    const { spec, read, logger } = this.#options
    let objects: readonly object[]
    try {
      objects = await read(key, signal)
    } catch (err) {
      // The sweep sends the key again: it would make a dead letter each time.
      if (!(err instanceof UnknownClusterError) || last === undefined) throw err
      logger.warn({ ...key, err }, 'the cluster is not known; its views stay as they were published')
      return last.views
    }
    const { views, problems } = evaluateViews(spec, objects)
    for (const problem of problems)
      logger.warn({ ...key, ...problem }, 'cannot make a view of an object; skipping it')
    return views.filter(({ kind }) => this.#kinds.has(kind))
  }

  /** Delivers to every sink, also if another fails. */
  async #deliver(
    sinks: readonly Sink[],
    key: ServiceKey,
    rest: Omit<Delivery, 'key' | 'operator'>,
  ): Promise<void> {
    rest.signal.throwIfAborted()
    const { version, views, deltas, signal } = rest
    const delivery = { key, operator: this.#options.spec.name, version, views, deltas, signal }
    const results = await Promise.allSettled(sinks.map((sink) => sink.deliver(delivery)))
    const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
    if (failures.length > 0) throw failureOf(failures, delivery)
  }
}

/** Makes one error for all sinks that failed. Another attempt may succeed unless each of them says no. */
function failureOf(failures: readonly unknown[], { key }: Delivery): unknown {
  const [first] = failures
  if (failures.length === 1) return first
  const reasons = failures.map((reason) => errorMessage(reason))
  const retryable = !failures.every((reason) => reason instanceof SinkError && !reason.retryable)
  return new SinkError(
    `failed to deliver the views of ${key.namespace}/${key.service} of cluster ${key.cluster}: ${reasons.join('; ')}`,
    { retryable, cause: new AggregateError(failures) },
  )
}
