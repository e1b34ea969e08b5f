import {
  type ApiClient,
  type ApiObject,
  type Backoff,
  backoffDelay,
  findResource,
  NotFoundError,
  type Resource,
  runWatcher,
  sleepUnlessAborted,
  type WatchHandler,
} from '../../kubernetes/index.ts'
import type { ObjectEvent } from '../engine/index.ts'
import type { OperatorSpec, ResourceSpec } from '../spec/index.ts'
import { createWatchedEvents } from './watched-events.ts'

export interface FollowOptions {
  readonly signal: AbortSignal
  /** All that is there at first, in one call once all kinds were listed; then the changes as they come. */
  readonly onEvents: (events: readonly ObjectEvent[]) => void
  /** A kind cannot be followed for now; it is tried again after `retryMs`. */
  readonly onError: (error: unknown, kind: string, retryMs: number) => void
}

/** Quick after an API server's restart, and often enough for a CustomResourceDefinition yet to come. */
const DISCOVERY_BACKOFF: Backoff = { baseMs: 500, capMs: 10_000 }
/** Pause before a kind is searched again that was not found. */
const NOT_FOUND_PAUSE_MS = 1_000

/**
 * Follows the kinds of an API server that a spec reads, until the signal aborts. Never rejects.
 * @example
 * ```ts
 * const [cluster] = await loadClusters('kubeconfig')
 * if (cluster === undefined) throw new Error('no cluster')
 * const spec = await loadSpecFile('names.yaml')
 * const engine = createEngine(spec)
 * engine.start()
 * const stop = new AbortController()
 * await followCluster(createApiClient(cluster), spec, {
 *   signal: stop.signal,
 *   onEvents(events) {
 *     engine.apply(...events)
 *     stop.abort() // after the first list; without it, changes follow
 *   },
 *   onError: (error, kind, retryMs) => console.error(`${kind}: ${error}; again in ${retryMs} ms`),
 * })
 * engine.views().map(({ metadata }) => metadata.name) // => ['kubernetes']
 * ```
 */
export async function followCluster(
  client: ApiClient,
  spec: OperatorSpec,
  options: FollowOptions,
): Promise<void> {
  const { signal, onEvents } = options
  const sources = sourcesOf(spec)
  let first: ObjectEvent[] | undefined = []
  const unlisted = new Set(sources)
  const deliver = (events: ObjectEvent[]): void => {
    if (first === undefined) onEvents(events)
    else first.push(...events)
  }
  const listed = (source: ResourceSpec | undefined): void => {
    if (source !== undefined) unlisted.delete(source)
    if (first === undefined || unlisted.size > 0) return
    const events = first
    first = undefined
    onEvents(events)
  }
  if (sources.length === 0) listed(undefined)
  const watchers = sources.map(async (source) => {
    const handlerOf = createWatchedEvents(deliver, () => listed(source))
    while (!signal.aborted) {
      const resource = await discovered(client, source, options)
      if (resource === undefined) return
      await watchWhileFound(client, resource, handlerOf(resource), options)
      await sleepUnlessAborted(NOT_FOUND_PAUSE_MS, signal)
    }
  })
  await Promise.all(watchers)
}

/** Lists each kind of the API that the controllers watch, once. */
function sourcesOf({ controllers }: OperatorSpec): ResourceSpec[] {
  const sources = controllers.flatMap((controller) => controller.sources)
  const followed = sources.filter(({ isView, type }) => !isView && type === 'Watcher')
  return [...new Map(followed.map((source) => [`${source.group}/${source.kind}`, source])).values()]
}

/** Asks until the server knows the kind; undefined once the signal has aborted. */
async function discovered(
  client: ApiClient,
  source: ResourceSpec,
  { signal, onError }: FollowOptions,
): Promise<Resource | undefined> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await findResource(client, source, { signal })
    } catch (error) {
      if (signal.aborted) return undefined
      const retryMs = backoffDelay(failures, DISCOVERY_BACKOFF)
      onError(error, source.kind, retryMs)
      await sleepUnlessAborted(retryMs, signal)
    }
  }
  return undefined
}

/** Ends once the server does not find the kind: it may serve another version of it by now. */
async function watchWhileFound(
  client: ApiClient,
  resource: Resource,
  handler: WatchHandler<ApiObject>,
  { signal, onError }: FollowOptions,
): Promise<void> {
  const ending = new AbortController()
  await runWatcher(client, {
    resource,
    handler: {
      ...handler,
      failed(error, retryMs) {
        onError(error, resource.kind, retryMs)
        if (error instanceof NotFoundError) ending.abort()
      },
    },
    signal: AbortSignal.any([signal, ending.signal]),
  })
}
