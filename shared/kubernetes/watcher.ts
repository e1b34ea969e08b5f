import { compareVersions } from '../endpointslice/index.ts'
import { isRecord } from '../values/index.ts'
import type { ApiClient, Selection, WatchEvent } from './api-client.ts'
import { type Backoff, backoffDelay, sleepUnlessAborted } from './backoff.ts'
import { ApiError, ConnectionError, ExpiredError } from './errors/errors.ts'
import type { ApiObject, Resource } from './resources.ts'
import type { NextTurn } from './work-queue/turns.ts'

/**
 * Receives the events of a watcher of one resource. Calls are synchronous and in order. Objects are as the
 * server sent them: JSON objects with unchecked fields.
 */
export interface WatchHandler<T> {
  /** Called when the watch cannot go on for now; it is tried again after `retryMs`. */
  failed?(error: unknown, retryMs: number): void
  /** Called when it goes on: at the first list or watch that the server accepted after `failed`. */
  recovered?(): void
  /** Called when the server has accepted a watch. */
  opened?(): void
  /** Called when bytes came, of a list or a watch. */
  received?(): void
  /** Called when a whole list begins, the first or after a 410: what it does not name is gone at `listed`. */
  listing(): void
  /** Called with one object of the list. */
  object(object: T): void
  /** Called when the list is complete, as of this version. */
  listed(resourceVersion: string): void
  changed(object: T): void
  deleted(object: T): void
  /** Called when every change up to this version has been reported. */
  bookmark?(resourceVersion: string): void
  /**
   * Called before the objects of a list, when the server's history may be another one than before.
   * @param isCertain the server's version is below one that was seen; otherwise the server was away, and may
   * have been restored from a backup and have passed that version since
   */
  wentBack?(isCertain: boolean): void
  /** Called if there was something in place of an object that is none; it is passed over. */
  notObject?(value: unknown): void
}

export interface WatcherOptions<T extends ApiObject> {
  readonly resource: Resource<T>
  readonly handler: WatchHandler<T>
  readonly signal: AbortSignal
  /** Default: all objects, whole. */
  readonly selection?: Selection
  /** Awaited before each page of a list is read. Default: it is read at once. */
  readonly nextTurn?: NextTurn
  readonly timing?: WatchTiming
}

interface WatchTiming {
  /** Bookmarks come about once a minute (apiserver's cacher); nothing for longer means dead. Default 80 s. */
  readonly inactivityMs?: number
  /** Servers end a watch after 290 s to 350 s by default, not all at once. */
  readonly timeoutSeconds?: () => number
  /** Between failures; default 500 ms doubling to 10 s, with full jitter. */
  readonly backoff?: Backoff
}

/** A watch that ends sooner than this, with nothing in it, did not work. */
const SHORT_WATCH_MS = 1_000
/**
 * This number in a row counts as 410. Some servers close a too old watch without saying so
 * (kubernetes/kubernetes#137089), and say nothing at all, not even a bookmark, on one from a version that
 * they have yet to reach (etcd restored from a backup).
 */
const EMPTY_WATCHES_MEAN_EXPIRED = { short: 5, silent: 2 }
/** A server cannot send us away for longer, in milliseconds. */
const MAX_RETRY_AFTER_MS = 120_000

/** Quick to be back after a restart of the server, and no burden for one that stays away. */
export const DEFAULT_BACKOFF: Backoff = { baseMs: 500, capMs: 10_000 }

const nextDelay = (timing: WatchTiming | undefined, progress: Progress): number =>
  backoffDelay(progress.failures++, timing?.backoff ?? DEFAULT_BACKOFF)

const defaultTimeoutSeconds = (): number => Math.round(290 + Math.random() * 60)

/**
 * Lists and then watches one resource until the signal aborts:
 * 1. list page by page, and remember the list's version;
 * 2. watch from the last version seen in an event or bookmark;
 * 3. 410, or what amounts to it → 1; the end of a watch → 2; any other failure → back off with full jitter,
 *    then 4 (or 1 where no list was whole);
 * 4. ask for the server's version: an earlier one than ours → 1; an answer only after a further failure → 1,
 *    as a server that was away may have been restored from a backup and be past our version by now; else → 2.
 * Resolves when the signal has aborted; never rejects.
 */
export async function runWatcher<T extends ApiObject>(
  client: ApiClient,
  options: WatcherOptions<T>,
): Promise<void> {
  const { signal } = options
  const progress = new Progress()
  while (!signal.aborted) {
    try {
      if (progress.failing && (await mayBeRestored(client, options, progress))) progress.version = undefined
      progress.version ??= await listAll(client, options, progress)
      await watchOnce(client, options, { progress, version: progress.version })
    } catch (error) {
      if (!signal.aborted) await sleepUnlessAborted(noteFailure(error, options, progress), signal)
    }
  }
}

class Progress {
  /** undefined: list before watching. */
  version: string | undefined
  /** The newest version that was seen before the list that is due or under way. */
  newest: string | undefined
  /** The server did not answer after a failure: it may have been restored meanwhile. */
  wasAway = false
  /** Watches in a row that were closed at once or stayed silent. */
  emptyWatches = 0
  /** The server has sent one before: to one that never does, silence is as ordinary as the end of a watch. */
  hasBookmarks = false
  failing = false
  /** Failures in a row; an object, or a bookmark of a watch that is not short, ends the row. */
  failures = 0
}

/**
 * Reports whether a server may have come back with another history than ours, restored from a backup: it
 * would say nothing of what it does until it is past our version, and never again of what it did before that.
 */
async function mayBeRestored<T extends ApiObject>(
  client: ApiClient,
  { resource, signal }: WatcherOptions<T>,
  progress: Progress,
): Promise<boolean> {
  const { version } = progress
  if (version === undefined) return false
  const first = { limit: 1, metadataOnly: true, passesOddItems: true, signal }
  try {
    for await (const { metadata } of client.pages(resource, first))
      return progress.wasAway || compareVersions(metadata.resourceVersion, version) < 0
  } catch (error) {
    progress.wasAway ||= isAbsence(error)
    throw error
  }
  return progress.wasAway
}

/** Reports whether an error says that there is no server; one that refuses a request is there. */
const isAbsence = (error: unknown): boolean => !(error instanceof ApiError) || error.code >= 500

async function watchOnce<T extends ApiObject>(
  client: ApiClient,
  options: WatcherOptions<T>,
  { progress, version }: { progress: Progress; version: string },
): Promise<void> {
  const { resource, selection, timing = {}, signal, handler } = options
  const { inactivityMs = 80_000, timeoutSeconds = defaultTimeoutSeconds } = timing
  const started = performance.now()
  const events = await client.watch(resource, {
    selection,
    signal,
    resourceVersion: version,
    timeoutSeconds: timeoutSeconds(),
    inactivityMs,
    onBytes: () => handler.received?.(),
  })
  noteWorking(options, progress)
  handler.opened?.()
  progress.emptyWatches++
  let hasContent = false
  const isShort = (): boolean => performance.now() - started <= SHORT_WATCH_MS
  try {
    for await (const event of events) {
      deliver(event, handler)
      const isBookmark = event.type === 'BOOKMARK'
      progress.hasBookmarks ||= isBookmark
      progress.version = versionOf(event) ?? progress.version
      progress.newest = progress.version
      progress.emptyWatches = 0
      hasContent ||= !isBookmark
      // A server that ends each watch after a bookmark must not be asked hundreds of times a second.
      if (hasContent || !isShort()) progress.failures = 0
    }
  } catch (error) {
    if (!isSilence(error) && !isShort()) progress.emptyWatches = 0
    throw error
  }
  if (!isShort()) progress.emptyWatches = 0
  if (progress.emptyWatches >= EMPTY_WATCHES_MEAN_EXPIRED.short)
    throw new ExpiredError(
      `the server closed ${progress.emptyWatches} watches immediately; listing again`,
      410,
      {},
    )
  if (isShort() && !hasContent) await sleepUnlessAborted(nextDelay(timing, progress), signal)
}

function deliver<T extends ApiObject>(event: WatchEvent<T>, handler: WatchHandler<T>): void {
  if (event.type === 'BOOKMARK') handler.bookmark?.(versionOf(event) ?? '')
  else if (!isRecord(event.object)) handler.notObject?.(event.object)
  else if (event.type === 'DELETED') handler.deleted(event.object)
  else handler.changed(event.object)
}

/** Returns the version of an object; any other than text would make each further watch a bad request. */
function versionOf({ object }: WatchEvent): string | undefined {
  const version: unknown = object?.metadata?.resourceVersion
  return typeof version === 'string' && version !== '' ? version : undefined
}

function noteWorking<T extends ApiObject>({ handler }: WatcherOptions<T>, progress: Progress): void {
  if (progress.failing) handler.recovered?.()
  progress.failing = false
}

/** Returns the milliseconds to wait. Reports an ordinary failure only if the next attempt fails, too. */
function noteFailure<T extends ApiObject>(
  error: unknown,
  options: WatcherOptions<T>,
  progress: Progress,
): number {
  const retryMs = Math.max(nextDelay(options.timing, progress), retryAfterMs(error))
  if (meansExpired(error, progress)) {
    progress.version = undefined
    progress.emptyWatches = 0
  }
  const isOrdinary = error instanceof ExpiredError || (isSilence(error) && !progress.hasBookmarks)
  if (!isOrdinary) {
    progress.failing = true
    options.handler.failed?.(error, retryMs)
  }
  return retryMs
}

function meansExpired(error: unknown, { emptyWatches }: Progress): boolean {
  return (
    error instanceof ExpiredError ||
    // A version that the server cannot read, though it was its own.
    (error instanceof ApiError && error.code === 400) ||
    emptyWatches >= EMPTY_WATCHES_MEAN_EXPIRED[isSilence(error) ? 'silent' : 'short']
  )
}

const isSilence = (error: unknown): boolean => error instanceof ConnectionError && error.code === 'ESILENT'

async function listAll<T extends ApiObject>(
  client: ApiClient,
  options: WatcherOptions<T>,
  progress: Progress,
): Promise<string> {
  const { resource, selection, nextTurn, handler, signal } = options
  handler.listing()
  let version = ''
  for await (const page of client.pages(resource, {
    ...{ ...selection, nextTurn, signal },
    passesOddItems: true,
  })) {
    handler.received?.()
    if (version === '') noteHistory(page.metadata.resourceVersion, options, progress)
    for (const object of page.items) {
      if (isRecord(object)) handler.object(object)
      else handler.notObject?.(object)
    }
    version = page.metadata.resourceVersion
  }
  handler.listed(version)
  progress.newest = version
  progress.wasAway = false
  noteWorking(options, progress)
  return version
}

/** @param version of the list that begins */
function noteHistory<T extends ApiObject>(
  version: string,
  { handler }: WatcherOptions<T>,
  progress: Progress,
): void {
  const { newest, wasAway } = progress
  if (newest === undefined) return
  const isCertain = compareVersions(version, newest) < 0
  if (!isCertain && !wasAway) return
  handler.wentBack?.(isCertain)
  // What is done about it ends with the list, as an outage does.
  if (isCertain) progress.failing = true
}

function retryAfterMs(error: unknown): number {
  const seconds = (error as { retryAfterSeconds?: unknown } | null)?.retryAfterSeconds
  return typeof seconds === 'number' ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : 0
}
