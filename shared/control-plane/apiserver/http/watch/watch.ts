import { expired, internal, tooLargeResourceVersion } from '../../../apimachinery/errors/factories.ts'
import { ApiError } from '../../../apimachinery/errors/status.ts'
import { jsonText } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { apiVersionOf } from '../../registry/definition/names.ts'
import type { Endpoint } from '../../registry/definition/resource-definition.ts'
import type { Change } from '../../storage/change.ts'
import type { ObjectRecord } from '../../storage/stored-object.ts'
import type { Response } from '../exchange.ts'
import { type Format, PROTOBUF } from '../media-types.ts'
import { whyNoRevision } from '../resource/list.ts'
import type { ListOptions } from '../resource/list-options.ts'
import type { ObjectPrinter } from '../resource/printer.ts'
import { type EventEncoder, eventIn } from './encoder.ts'
import { InOrder } from './in-order.ts'

/** Shortest watch without `timeoutSeconds`: it ends in 30 to 60 minutes, to spread clients over servers. */
const DEFAULT_TIMEOUT = 30 * 60 * 1000
const BOOKMARK_PERIOD = 60 * 1000
/** The longest that a timer of Node's waits, in milliseconds: some 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1
/** A last bookmark comes so long before the end, in milliseconds. */
const LAST_BOOKMARK = 2000
/** A client that lets this many bytes of changes pile up is cut off; it lists again. */
const BACKLOG_LIMIT = 16 * 1024 * 1024
const FUTURE_WAIT = 3000

interface WatchRequest {
  readonly endpoint: Endpoint
  readonly namespace: string
  readonly options: ListOptions
  readonly encoder: EventEncoder
  readonly format: Format
  /** Set when objects are to be shown in another form than their own. */
  readonly printer?: ObjectPrinter
}

/** Streams changes into a response until it is closed or the watch's time is over. */
export class WatchStream {
  readonly #request: WatchRequest
  readonly #response: Response
  readonly #prefix: string
  readonly #cleanups: (() => void)[] = []
  /** A change that cannot be shown ends the stream: its client lists again. */
  readonly #order = new InOrder(() => this.#end())
  #pending: Buffer[] = []
  /** Bytes that may wait: what is sent at the beginning comes on top, however large that is. */
  #allowance = BACKLOG_LIMIT
  /** Set once the state at the beginning, and what has happened since, are sent. */
  #isCurrent = false
  #flushing = false
  #ended = false
  /** The revision up to which the client has every change, once changes are sent. */
  #seen: number
  #follows = false

  constructor(request: WatchRequest, response: Response) {
    this.#request = request
    this.#response = response
    this.#prefix = request.namespace === '' ? '' : `${request.namespace}/`
    this.#seen = request.endpoint.store.revision
  }

  /** Begins to stream; throws a 500, before anything is sent, for a resourceVersion that is no number. */
  async start(): Promise<void> {
    const { options } = this.#request
    const { sendInitialEvents } = options
    const revision = parseRevision(options.resourceVersion)
    this.#open()
    const fromNow = revision === 0
    if (sendInitialEvents || (fromNow && sendInitialEvents === undefined)) await this.#sendState(revision)
    else if (!fromNow) this.#seen = revision
    if (!this.#ended) this.#follow(this.#seen)
  }

  #open(): void {
    this.#response.statusCode = 200
    const { format } = this.#request
    const contentType = format === 'protobuf' ? `${PROTOBUF};stream=watch` : 'application/json'
    this.#response.setHeader('content-type', contentType)
    this.#response.flushHeaders()
    this.#response.on('close', () => this.#end())
    const asked = (this.#request.options.timeoutSeconds ?? 0) * 1000
    const timeout = Math.min(asked || DEFAULT_TIMEOUT * (1 + Math.random()), LONGEST_TIMER)
    const timer = setTimeout(() => this.#end(), timeout)
    this.#cleanups.push(() => clearTimeout(timer))
    // A resource that is defined again is another one: its watchers list again.
    const { served } = this.#request.endpoint
    if (served) this.#cleanups.push(served.onEnd(() => this.#order.run(undefined, () => this.#end())))
    if (this.#request.options.allowWatchBookmarks) this.#scheduleBookmarks(timeout)
  }

  #scheduleBookmarks(timeout: number): void {
    const period = setInterval(() => this.#bookmarkLatest(), BOOKMARK_PERIOD)
    this.#cleanups.push(() => clearInterval(period))
    if (timeout <= 2 * LAST_BOOKMARK) return
    const last = setTimeout(() => this.#bookmarkLatest(), timeout - LAST_BOOKMARK)
    this.#cleanups.push(() => clearTimeout(last))
  }

  /** Sends the present state as additions. If bookmarks are allowed, one follows that says so. */
  async #sendState(revision: number): Promise<void> {
    const { endpoint, options } = this.#request
    const { store, resource, converted } = endpoint
    if (!(await store.reached(revision, FUTURE_WAIT))) {
      this.#fail(tooLargeResourceVersion(String(revision), store.revision).status)
      return
    }
    const stored = store.records(resource, this.#prefix)
    const known = store.revision
    let records = stored
    try {
      if (converted) records = await converted.readRecords(stored)
    } catch (error) {
      this.#fail(error instanceof ApiError ? error.status : internal(String(error)).status)
      return
    }
    for (const record of records) {
      if (options.matches?.(record.object) ?? true) this.#write('ADDED', record)
    }
    this.#seen = known
    if (options.allowWatchBookmarks) this.#bookmark(known, true)
  }

  /** Shows what happened since a revision, then what happens; nothing can be written in between. */
  #follow(after: number): void {
    const { store, resource, converted } = this.#request.endpoint
    if (after < store.compacted) {
      this.#fail(expired(`too old resource version: ${after} (${store.compacted})`).status)
      return
    }
    const show = (change: Change): void => {
      if (!change.key.startsWith(this.#prefix)) return
      this.#order.run(converted?.readChange(change) ?? change, (shown) => this.#show(shown))
    }
    for (const change of store.changesSince(resource, after)) show(change)
    this.#order.run(undefined, () => {
      this.#isCurrent = true
    })
    const unsubscribe = store.subscribe(resource, (change) => {
      if (change.revision > after) show(change)
    })
    this.#cleanups.push(unsubscribe)
    this.#follows = true
  }

  /** Shows a change as this watcher sees it: an object may enter or leave what its selectors match. */
  #show(change: Change): void {
    const { matches } = this.#request.options
    const before =
      change.type !== 'ADDED' && (!matches || (change.previous !== undefined && matches(change.previous)))
    const after = change.type !== 'DELETED' && (matches?.(change.object) ?? true)
    if (before && after) this.#writeChange(change, 'MODIFIED')
    else if (after) this.#writeChange(change, 'ADDED')
    else if (before) this.#writeDeletion(change)
  }

  #writeChange(change: Change, type: 'ADDED' | 'MODIFIED'): void {
    if (type === change.type && !this.#request.printer) this.#pushChange(change)
    else this.#write(type, change)
  }

  /** Writes a deletion. An object that no longer matches is shown as it was when it last matched. */
  #writeDeletion(change: Change): void {
    if (change.type === 'DELETED' && !this.#request.printer) this.#pushChange(change)
    else if (change.type === 'DELETED') this.#write('DELETED', change)
    else if (change.previous) {
      const metadata = { ...change.previous.metadata, resourceVersion: String(change.revision) }
      const object = { ...change.previous, metadata }
      this.#write('DELETED', { object, json: jsonText(object) })
    }
  }

  #event(type: string, object: string): Buffer {
    return eventIn(this.#request.format, type, object)
  }

  #pushChange(change: Change): void {
    this.#push(this.#request.encoder.event(change, this.#request.format))
  }

  #write(type: string, shown: Pick<ObjectRecord, 'json' | 'object'>): void {
    const { printer } = this.#request
    this.#push(this.#event(type, printer ? printer.event(shown.object) : shown.json))
  }

  /**
   * Sends a bookmark of the latest revision. It sends none while the initial state is on its way: a client
   * that resumed from it would never get that state.
   */
  #bookmarkLatest(): void {
    if (this.#follows) this.#bookmark(this.#request.endpoint.store.revision, false)
  }

  /** Sends a bookmark in its turn: it says that everything before it has been shown. */
  #bookmark(revision: number, initialEventsEnd: boolean): void {
    this.#order.run(revision, (shown) => this.#writeBookmark(shown, initialEventsEnd))
  }

  #writeBookmark(revision: number, initialEventsEnd: boolean): void {
    const { endpoint, printer } = this.#request
    const { definition } = endpoint
    const object: KubeObject = {
      kind: definition.kind,
      apiVersion: apiVersionOf(definition),
      metadata: {
        resourceVersion: String(revision),
        ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      },
    }
    this.#push(this.#event('BOOKMARK', printer ? printer.bookmark(object) : jsonText(object)))
  }

  #fail(status: object): void {
    this.#push(this.#event('ERROR', JSON.stringify(status)))
    this.#end()
  }

  /** Collects the lines of one turn of the event loop, which are sent together. */
  #push(line: Buffer): void {
    if (this.#ended) return
    this.#pending.push(line)
    if (!this.#isCurrent) this.#allowance += line.length
    if (this.#flushing) return
    this.#flushing = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#flushing = false
    if (this.#pending.length === 0 || this.#response.writableEnded) return
    if (!this.#isDurable()) return
    const [first] = this.#pending
    this.#response.write(this.#pending.length === 1 ? first : Buffer.concat(this.#pending))
    this.#pending = []
    if (this.#response.writableLength > this.#allowance) this.#response.destroy()
  }

  /** Reports whether the store is sound. Changes that are not stored are not sent; it has said why. */
  #isDurable(): boolean {
    const isDurable = this.#request.endpoint.store.flush()
    if (!isDurable) this.#response.destroy()
    return isDurable
  }

  #end(): void {
    if (this.#ended) return
    this.#flush()
    this.#ended = true
    for (const cleanup of this.#cleanups) cleanup()
    this.#response.end()
  }
}

function parseRevision(text: string): number {
  const why = text === '' ? undefined : whyNoRevision(text)
  // As of one object upstream takes this for a failure of its own.
  if (why !== undefined) throw internal(why)
  return Number(text)
}
