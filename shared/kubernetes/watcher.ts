import { type Backoff, backoffDelay, sleepUnlessAborted } from './backoff.ts'
import type { ApiClient } from './client.ts'
import { ExpiredError } from './errors.ts'
import type { ApiObject, Resource } from './resources.ts'

/** What a watcher tells of the objects of one resource. Calls are synchronous and in order. */
export interface WatchHandler<T> {
  /** A whole list begins, the first one or one after a 410: objects not listed by `listed` are gone. */
  listing(): void
  /** One object of the list. */
  object(object: T): void
  /** The list is complete. */
  listed(): void
  changed(object: T): void
  deleted(object: T): void
  /** The watch cannot go on for now; it is tried again after `retryMs`. */
  failed?(error: unknown, retryMs: number): void
  /** It goes on: the first list or watch that the server accepted after `failed`. */
  recovered?(): void
}

export interface WatcherOptions<T extends ApiObject> {
  readonly resource: Resource<T>
  readonly handler: WatchHandler<T>
  readonly labelSelector?: string
  readonly signal: AbortSignal
  /** Bookmarks come about once a minute (apiserver's cacher); nothing for longer means dead. Default 80 s. */
  readonly inactivityMs?: number
  /** Servers end a watch after 290 s to 350 s by default, not all at once. */
  readonly timeoutSeconds?: () => number
  /** Between failures; default 500 ms doubling to 10 s, with full jitter. */
  readonly backoff?: Backoff
}

/** A watch that ends sooner than this, with nothing in it, did not work. */
const SHORT_WATCH_MS = 1_000
/** So many in a row count as 410: some servers close a too old watch without saying so (kubernetes/kubernetes#137089). */
const SHORT_WATCHES_MEAN_EXPIRED = 5

/** Quick to be back after a restart of the server, and no burden for one that stays away. */
const DEFAULT_BACKOFF: Backoff = { baseMs: 500, capMs: 10_000 }

const nextDelay = (
  { backoff = DEFAULT_BACKOFF }: Pick<WatcherOptions<never>, 'backoff'>,
  progress: Progress,
): number => backoffDelay(progress.failures++, backoff)

const defaultTimeoutSeconds = (): number => Math.round(290 + Math.random() * 60)

/**
 * Lists and then watches one resource until the signal aborts, whatever happens in between:
 * 1. list page by page, and remember the list's version;
 * 2. watch from the last version seen in an event or bookmark;
 * 3. 410 → 1; the end of a watch → 2; any other failure → back off with full jitter, then 2 (or 1 where no list was whole).
 * Resolves when the signal has aborted; never rejects.
 */
export async function runWatcher<T extends ApiObject>(
  client: ApiClient,
  options: WatcherOptions<T>,
): Promise<void> {
  const { signal } = options
  const progress: Progress = {
    version: undefined,
    shortWatches: 0,
    failing: false,
    failures: 0,
  }
  while (!signal.aborted) {
    try {
      await listAndWatch(client, options, progress)
    } catch (error) {
      if (!signal.aborted) await sleepUnlessAborted(noteFailure(error, options, progress), signal)
    }
  }
}

interface Progress {
  /** undefined: list before watching. */
  version: string | undefined
  shortWatches: number
  failing: boolean
  /** In a row; an event ends the row. */
  failures: number
}

async function listAndWatch<T extends ApiObject>(
  client: ApiClient,
  options: WatcherOptions<T>,
  progress: Progress,
): Promise<void> {
  if (progress.version === undefined) {
    progress.version = await listAll(client, options)
    noteWorking(options, progress)
  }
  const {
    resource,
    labelSelector,
    signal,
    inactivityMs = 80_000,
    timeoutSeconds = defaultTimeoutSeconds,
  } = options
  const started = performance.now()
  const events = await client.watch(resource, {
    labelSelector,
    signal,
    resourceVersion: progress.version,
    timeoutSeconds: timeoutSeconds(),
    inactivityMs,
  })
  noteWorking(options, progress)
  let worked = false
  for await (const event of events) {
    if (event.type === 'DELETED') options.handler.deleted(event.object)
    else if (event.type !== 'BOOKMARK') options.handler.changed(event.object)
    progress.version = event.object.metadata?.resourceVersion ?? progress.version
    worked = true
    progress.failures = 0
  }
  if (worked || performance.now() - started > SHORT_WATCH_MS) progress.shortWatches = 0
  else if (++progress.shortWatches >= SHORT_WATCHES_MEAN_EXPIRED) {
    throw new ExpiredError('the watch was closed at once again and again', 410, {})
  } else await sleepUnlessAborted(nextDelay(options, progress), signal)
}

function noteWorking<T extends ApiObject>({ handler }: WatcherOptions<T>, progress: Progress): void {
  if (progress.failing) handler.recovered?.()
  progress.failing = false
}

/** Returns the milliseconds to wait. An expired version is ordinary life: it is told only if listing fails, too. */
function noteFailure<T extends ApiObject>(
  error: unknown,
  options: WatcherOptions<T>,
  progress: Progress,
): number {
  const retryMs = Math.max(nextDelay(options, progress), retryAfterMs(error))
  if (error instanceof ExpiredError) {
    progress.version = undefined
    progress.shortWatches = 0
  } else {
    progress.failing = true
    options.handler.failed?.(error, retryMs)
  }
  return retryMs
}

async function listAll<T extends ApiObject>(
  client: ApiClient,
  { resource, labelSelector, handler, signal }: WatcherOptions<T>,
): Promise<string> {
  handler.listing()
  let version = ''
  for await (const page of client.pages(resource, { labelSelector, signal })) {
    for (const object of page.items) handler.object(object)
    version = page.metadata.resourceVersion
  }
  handler.listed()
  return version
}

function retryAfterMs(error: unknown): number {
  const seconds = (error as { retryAfterSeconds?: unknown } | null)?.retryAfterSeconds
  return typeof seconds === 'number' ? seconds * 1000 : 0
}
