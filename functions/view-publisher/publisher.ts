import type { ServiceKey } from '../../shared/changes/index.ts'
import { UnknownClusterError } from '../../shared/reconciler/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import { diffViews, evaluateViews, type OperatorSpec, type ViewObject } from '../../shared/views/index.ts'
import type { ReadService } from './service-reader.ts'
import { assertServiceSpec, publishedKinds } from './service-spec.ts'
import type { Delivery, Sink } from './sink.ts'
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

export interface Publisher {
  /** Publishes what became of one Service's views. Rejects where that must be tried again. */
  publish(key: ServiceKey, signal: AbortSignal): Promise<void>
  /** Reports whether a sink has views of the Service or changes to get, so that the sweep sends its key. */
  isPublished(key: ServiceKey): Promise<boolean>
}

/** Others published the key again and again while this one tried. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError'
  readonly retryable = true
}

/** Each turn means that the views changed, or that somebody else published them meanwhile. */
const TURNS = 10
const NOTHING: Publication = { version: 0, views: [], pending: [] }

/**
 * Creates a publisher. Each sink has a publication of its own, and none depends on another: it takes turns
 * until one finds nothing to do, or its sink fails.
 * 1. Read the last publication. What is in its outbox may or may not have been sent: send it (again).
 * 2. Read the Service and its slices, after 1, and make the views. So the writer of version n+1 has read
 *    objects at least as new as the writer of version n.
 * 3. Write views and changes, on condition that the publication is still the one of 1; else go back to 1.
 * 4. Send the changes, empty the outbox, and repeat: another worker may have read later than 2 and found
 *    everything right, before 3 made it wrong.
 * A crash between 3 and 4 leaves the changes in the outbox; the key's message comes back, and so do they in
 * 1. A sink that holds a state gets no outbox, but the views of 2: it may have refused older ones.
 * @throws ServiceSpecError if the spec cannot be evaluated on one Service at a time
 */
export function createPublisher(options: PublisherOptions): Publisher {
  assertServiceSpec(options.spec)
  return new ServicePublisher(options)
}

/** A sink, and what it was given last. */
interface Published {
  readonly sink: Sink
  readonly last: Publication | undefined
}

class ServicePublisher implements Publisher {
  readonly #options: PublisherOptions
  readonly #kinds: ReadonlySet<string>

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#kinds = publishedKinds(options.spec)
  }

  async publish(key: ServiceKey, signal: AbortSignal): Promise<void> {
    const what = `failed to publish the views of ${key.namespace}/${key.service} of cluster ${key.cluster}`
    const failures: unknown[] = []
    let left = this.#options.sinks
    for (let turn = 0; turn < TURNS && left.length > 0; turn++) {
      signal.throwIfAborted()
      const { results, errors } = await this.#turn(key, left, signal)
      left = results.flat()
      failures.push(...errors)
    }
    if (left.length > 0) failures.push(new OvertakenError(`${what}: they changed ${TURNS} times meanwhile`))
    const [first, ...others] = failures
    if (others.length > 0)
      throw new AggregateError(failures, `${what}: ${failures.map(errorMessage).join('; ')}`)
    if (first !== undefined) throw first
  }

  async isPublished(key: ServiceKey): Promise<boolean> {
    const { sinks, store } = this.#options
    const publications = await Promise.all(sinks.map(({ name }) => store.load({ ...key, sink: name })))
    return publications.some((one) => one !== undefined && one.views.length + one.pending.length > 0)
  }

  /** Takes a turn with each sink. Resolves to those that need another one, and to why others failed. */
  async #turn(key: ServiceKey, sinks: readonly Sink[], signal: AbortSignal): Promise<Settled<Sink[]>> {
    // 1.
    const begun = await settle(sinks.map((sink) => this.#begin(key, sink, signal)))
    if (begun.results.length === 0) return { results: [], errors: begun.errors }
    // 2.
    const views = await this.#evaluate(key, begun.results, signal)
    const { results, errors } = await settle(
      begun.results.map((published) => this.#update(key, published, views, signal)),
    )
    return { results, errors: [...begun.errors, ...errors] }
  }

  async #begin(key: ServiceKey, sink: Sink, signal: AbortSignal): Promise<Published> {
    const last = await this.#options.store.load({ ...key, sink: sink.name })
    if (last !== undefined && last.pending.length > 0 && !sink.holdsState)
      await this.#deliver(sink, { key, ...last, deltas: last.pending, signal })
    return { sink, last }
  }

  /** Resolves to the sink if it needs another turn. */
  async #update(
    key: ServiceKey,
    { sink, last }: Published,
    views: readonly ViewObject[] | undefined,
    signal: AbortSignal,
  ): Promise<Sink[]> {
    const { store, logger, now = Date.now } = this.#options
    const { version: previous, views: before } = last ?? NOTHING
    const deltas = diffViews(before, views ?? before)
    if (deltas.length === 0) return (await this.#confirm(key, { sink, last }, signal)) ? [] : [sink]
    // 3.
    const id = { ...key, sink: sink.name }
    const next = { version: Math.max(previous + 1, now()), views: views ?? before, pending: deltas }
    signal.throwIfAborted()
    if (!(await store.save(id, next, last?.version))) return [sink]
    // 4.
    await this.#deliver(sink, { key, ...next, deltas, signal })
    await store.markSent(id, next)
    logger.info({ ...id, version: next.version, deltas: deltas.length }, 'published views')
    return [sink]
  }

  /**
   * Brings a sink that holds a state into line, and empties the outbox, which was sent. Resolves to false if
   * there is a later version meanwhile: the last one to do so must have had the latest.
   */
  async #confirm(key: ServiceKey, { sink, last }: Published, signal: AbortSignal): Promise<boolean> {
    if (last === undefined) return true
    const { store } = this.#options
    const id = { ...key, sink: sink.name }
    if (sink.holdsState) await this.#deliver(sink, { key, ...last, deltas: [], signal })
    if (last.pending.length > 0) return store.markSent(id, last)
    return !sink.holdsState || (await store.version(id)) === last.version
  }

  /** Makes the views. Of a cluster that is no longer known there are none, and those published stay. */
  async #evaluate(
    key: ServiceKey,
    published: readonly Published[],
    signal: AbortSignal,
  ): Promise<readonly ViewObject[] | undefined> {
    const { spec, read, logger } = this.#options
    let objects: readonly object[]
    try {
      objects = await read(key, signal)
    } catch (err) {
      // The sweep sends the key again: it would make a dead letter each time.
      const isPublished = published.some(({ last }) => last !== undefined)
      if (!(err instanceof UnknownClusterError) || !isPublished) throw err
      logger.warn({ ...key, err }, 'the cluster is not known; its views stay as they were published')
      return undefined
    }
    const { views, problems } = evaluateViews(spec, objects)
    for (const problem of problems)
      logger.warn({ ...key, ...problem }, 'cannot make a view of an object; skipping it')
    return views.filter(({ kind }) => this.#kinds.has(kind))
  }

  async #deliver(sink: Sink, { key, version, views, deltas, signal }: Omit<Delivery, 'operator'>) {
    signal.throwIfAborted()
    await sink.deliver({ key, operator: this.#options.spec.name, version, views, deltas, signal })
  }
}

interface Settled<T> {
  readonly results: readonly T[]
  readonly errors: readonly unknown[]
}

/** Waits for all, also if one fails. */
async function settle<T>(promises: readonly Promise<T>[]): Promise<Settled<T>> {
  const settled = await Promise.allSettled(promises)
  return {
    results: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    errors: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
  }
}
