import {
  type ApiClient,
  type ApiObject,
  backoffDelay,
  DEFAULT_BACKOFF,
  firstServed,
  NotFoundError,
  type Resource,
  runWatcher,
  SERVED_FOR_MS,
  sleepUnlessAborted,
  type WatchHandler,
} from '../../../shared/kubernetes/index.ts'

/** A watch without an event for this time is dead, as API servers send a bookmark a minute. */
export const INACTIVITY_MS = 80_000
export const WATCH_TIMING = { inactivityMs: INACTIVITY_MS } as const

interface ServedWatcherOptions {
  readonly metadataOnly: boolean
  /** The kind in each of the versions that are understood, the wanted one first. */
  readonly resources: readonly Resource<ApiObject>[]
  /** Makes the handler of each time that the kind is served. */
  readonly handlerOf: () => WatchHandler<ApiObject>
  /** Called at each search that does not find the kind. `isNew` is true at the first one of an absence. */
  readonly onAbsent: (isNew: boolean) => void
  /** Milliseconds between two checks whether the kind is served. */
  readonly pauseMs: number
  readonly signal: AbortSignal
}

/**
 * Lists and watches a kind while the cluster serves it, and checks at intervals whether it does while it
 * does not: a CustomResourceDefinition may come and go. Resolves when the signal has aborted; never rejects.
 */
export async function runServedWatcher(client: ApiClient, options: ServedWatcherOptions): Promise<void> {
  const { signal, pauseMs, handlerOf, onAbsent } = options
  let isNew = true
  while (!signal.aborted) {
    const handler = handlerOf()
    const resource = await discover(client, options, handler)
    if (resource !== undefined) {
      // Functions may remember until then that it is not served.
      if (!isNew) await sleepUnlessAborted(SERVED_FOR_MS, signal)
      await watchWhileServed(client, resource, { ...options, handler })
      isNew = true
    } else if (!signal.aborted) {
      onAbsent(isNew)
      isNew = false
      await sleepUnlessAborted(pauseMs, signal)
    }
  }
}

/** Asks until the cluster answers. Undefined: it does not serve the kind, or the signal has aborted. */
async function discover(
  client: ApiClient,
  { resources, signal }: ServedWatcherOptions,
  handler: WatchHandler<ApiObject>,
): Promise<Resource | undefined> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const resource = await firstServed(client, resources, { signal })
      handler.received?.()
      handler.recovered?.()
      return resource
    } catch (error) {
      if (signal.aborted) break
      const retryMs = backoffDelay(failures, DEFAULT_BACKOFF)
      handler.failed?.(error, retryMs)
      await sleepUnlessAborted(retryMs, signal)
    }
  }
  return undefined
}

interface Serving extends ServedWatcherOptions {
  readonly handler: WatchHandler<ApiObject>
}

/** Ends as well once the kind is not found and the cluster says that it does not serve it, or not so. */
async function watchWhileServed(
  client: ApiClient,
  resource: Resource,
  { resources, handler, signal, metadataOnly }: Serving,
): Promise<void> {
  const ending = new AbortController()
  let successes = 0

  async function examine(error: unknown, retryMs: number): Promise<void> {
    const before = successes
    const found = await firstServed(client, resources, { signal }).catch(() => resource)
    if (found !== resource) ending.abort()
    // It may have been found meanwhile: then nothing would show that it works.
    else if (successes === before) handler.failed?.(error, retryMs)
  }

  await runWatcher(client, {
    resource,
    selection: { metadataOnly },
    timing: WATCH_TIMING,
    signal: AbortSignal.any([signal, ending.signal]),
    handler: {
      ...handler,
      failed(error, retryMs) {
        if (error instanceof NotFoundError) void examine(error, retryMs)
        else handler.failed?.(error, retryMs)
      },
      recovered() {
        successes++
        handler.recovered?.()
      },
    },
  })
}
