import type { IncomingMessage } from 'node:http'
import { type CallGuard, createCallGuard } from './call-guard.ts'
import type { ClusterConnection } from './connection.ts'
import { ConnectionError, ExpiredError } from './errors.ts'
import { createPageSizes, MAX_PAGE_BYTES } from './page-sizes.ts'
import { refusalOf } from './refusal.ts'
import { type ApiObject, apiVersionOf, type ObjectRef, pathOf, type Resource } from './resources.ts'
import { createTransport, isTooLarge, type TransportRequest } from './transport.ts'
import { readWatch, type WatchEvent } from './watch-stream.ts'

export interface ListMeta {
  resourceVersion: string
  continue?: string
  remainingItemCount?: number
}

export interface ObjectList<T> {
  readonly items: readonly T[]
  readonly metadata: ListMeta
}

export interface ListOptions {
  /** Default: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Objects a page; default: as many as make about 2 MB, by the size of the last ones of this kind. */
  readonly limit?: number
  /**
   * A version that the server's cache is to have reached, which may be older than its newest data: cheap for the server, and
   * one page whatever the limit; where that is larger than 8 MB, the newest data come page by page instead. A version that the server does not reach within 3 s is refused with 504.
   */
  readonly notOlderThan?: string
  /** Metadata only: the server leaves out spec and status (PartialObjectMetadata). Default false. */
  readonly metadataOnly?: boolean
  readonly signal?: AbortSignal
}

export interface Selecting<T> {
  /** Makes what is kept of each object, so that a long list takes little memory. Default: the whole object. */
  readonly select?: (object: T) => T
  /** Awaited before each page but the first: whoever reads a long list may have to wait for memory. Default: nothing. */
  readonly beforeMore?: () => Promise<void>
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'notOlderThan'> {
  /** Events after this version. */
  readonly resourceVersion: string
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds: number
  /** The watch fails when nothing, not even a bookmark, came for this many milliseconds. */
  readonly inactivityMs: number
  /** Called for every piece that came. */
  readonly onBytes?: () => void
}

export interface DeleteOptions {
  /** Refused with 409 when the object has another uid or version by now. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly gracePeriodSeconds?: number
  /** What becomes of objects that name this one as their owner. Default: what is usual for the kind. */
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  readonly signal?: AbortSignal
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface GetOptions extends CallOptions {
  /** Metadata only, as in lists. Default false. */
  readonly metadataOnly?: boolean
  /**
   * A version that the server's cache is to have reached, as in lists. It spares the server about half of the work, and
   * etcd all of it. Default: the newest data.
   */
  readonly notOlderThan?: string
}

export interface WriteOptions extends CallOptions {
  /** Answered with the metadata of the written object only, such as its new version. Default false. */
  readonly metadataOnly?: boolean
}

export interface ReadOptions extends CallOptions {
  /** Media types that are wanted. Default `application/json`. */
  readonly accept?: string
}

/**
 * A lean client of one API server. Objects are sent and returned as they stand in JSON: unknown fields survive a
 * read and a write. Every call throws a subclass of KubernetesError; a call that was aborted throws the signal's reason.
 */
export interface ApiClient {
  /** The cluster's name. */
  readonly cluster: string
  get<T extends ApiObject>(resource: Resource<T>, ref: ObjectRef, options?: GetOptions): Promise<T>
  /** Every page of one consistent snapshot: read from the newest data when the first page was asked for. */
  list<T extends ApiObject>(
    resource: Resource<T>,
    options?: ListOptions & Selecting<T>,
  ): Promise<ObjectList<T>>
  /** The same page by page. @throws ExpiredError if the snapshot is gone before the last page */
  pages<T extends ApiObject>(
    resource: Resource<T>,
    options?: ListOptions & Selecting<T>,
  ): AsyncGenerator<ObjectList<T>>
  create<T extends ApiObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>
  /** Replaces the object, on condition of its metadata.resourceVersion where it has one. */
  update<T extends ApiObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions & { subresource?: string },
  ): Promise<T>
  /** A JSON merge patch (RFC 7396). */
  patch<T extends ApiObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<T>
  delete(resource: Resource, ref: ObjectRef, options?: DeleteOptions): Promise<void>
  /**
   * One watch connection: resolves once the server has accepted it; its events end when the server ends it.
   * @throws ExpiredError, also while it runs, when the version is too old
   */
  watch<T extends ApiObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): Promise<AsyncGenerator<WatchEvent<T>>>
  /** What the server answers at a path that is no resource's, such as `/version` or `/apis/discovery.k8s.io`. */
  read<T>(path: string, options?: ReadOptions): Promise<T>
  /** Closes idle connections; running calls end. */
  close(): void
}

/** A list whose snapshot expired before its last page is begun again this many times. */
const LIST_ATTEMPTS = 3
const MERGE_PATCH = 'application/merge-patch+json'
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
const METADATA_OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

export interface ApiClientOptions {
  /** For one call, or for the first byte of a watch; default 30,000. */
  readonly timeoutMs?: number
  /** Decides when each call goes out, watches excepted; default: all do at once. */
  readonly guard?: CallGuard
}

export function createApiClient(
  connection: ClusterConnection,
  { timeoutMs = 30_000, guard = createCallGuard({}) }: ApiClientOptions = {},
): ApiClient {
  const transport = createTransport(connection)
  const pageSizes = createPageSizes()
  const { name: cluster } = connection

  function call<T>(request: TransportRequest): Promise<T> {
    return guard(request, async () => {
      const response = await transport.send(request, timeoutMs)
      if (response.status >= 400) throw refusalOf(request.action, response)
      return parse<T>(request.action, response.text)
    })
  }

  /** Undefined where the answer is larger than it may be; the server is well, so that its guard is told of no failure. */
  function callWithin<T>(request: TransportRequest): Promise<Answer<T> | undefined> {
    return guard(request, async () => {
      const response = await transport.send(request, timeoutMs).catch(tooLarge)
      if (response === undefined) return undefined
      if (response.status >= 400) throw refusalOf(request.action, response)
      return { body: parse<T>(request.action, response.text), bytes: response.text.length }
    })
  }

  async function* pages<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & Selecting<T> = {},
  ): AsyncGenerator<ObjectList<T>> {
    let token: string | undefined
    do {
      const page = await onePage(resource, options, token)
      yield page
      token = page.metadata.continue || undefined
      if (token !== undefined) await options.beforeMore?.()
    } while (token !== undefined)
  }

  /** One page; of its objects only what is selected stays in memory, also while a caller waits for the next page. */
  async function onePage<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & Selecting<T>,
    token: string | undefined,
  ): Promise<ObjectList<T>> {
    const { namespace, metadataOnly, select } = options
    const action = `list ${resource.kind}s${inNamespace(namespace)} of cluster ${cluster}`
    const accept = metadataOnly ? METADATA_LIST : undefined
    const kind = `${apiVersionOf(resource)} ${resource.plural} ${accept}`
    const path = pathOf(resource, { namespace })
    const { body, bytes } = await askForPage<T>({ path, accept, action, kind }, options, token)
    if (!isList(body))
      throw new ConnectionError(`failed to ${action}: the answer is not a list`, 'EBADMESSAGE')
    const items = body.items ?? []
    pageSizes.note(kind, { objects: items.length, bytes })
    return {
      items: select === undefined ? items : items.map((item) => select(item)),
      metadata: body.metadata,
    }
  }

  /** Asks for fewer objects where too large a page came, as one tenant's may be larger than all others by far. */
  async function askForPage<T>(
    { path, accept, action, kind }: PageRequest,
    { notOlderThan, limit, signal, labelSelector, fieldSelector }: ListOptions,
    token: string | undefined,
  ): Promise<Answer<ObjectPage<T>>> {
    const ask = (query: ListQuery, maxBytes?: number) => {
      const text = listQuery({ labelSelector, fieldSelector }, query)
      return callWithin<ObjectPage<T>>({ method: 'GET', path: path + text, accept, action, signal, maxBytes })
    }
    const isFromCache = token === undefined && notOlderThan !== undefined
    const cached = { resourceVersion: notOlderThan, resourceVersionMatch: 'NotOlderThan' }
    let answer = isFromCache ? await ask(cached, MAX_PAGE_BYTES) : undefined
    let objects = limit ?? pageSizes.next(kind)
    while (answer === undefined) {
      answer = await ask({ limit: String(objects), continue: token }, pageBound(objects))
      if (answer === undefined) objects = pageSizes.lower(kind, objects)
    }
    return answer
  }

  async function list<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & Selecting<T> = {},
  ): Promise<ObjectList<T>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await collect(pages(resource, options))
      } catch (error) {
        if (!(error instanceof ExpiredError) || attempt === LIST_ATTEMPTS) throw error
      }
    }
  }

  async function watch<T extends ApiObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): Promise<AsyncGenerator<WatchEvent<T>>> {
    const action = `watch ${resource.kind}s${inNamespace(options.namespace)} of cluster ${cluster}`
    const query = listQuery(options, {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(options.timeoutSeconds),
    })
    const path = pathOf(resource, { namespace: options.namespace }) + query
    const request = {
      method: 'GET',
      path,
      accept: acceptOf(options),
      action,
      signal: options.signal,
    } as const
    const response = await transport.open(request, timeoutMs)
    if (response.statusCode !== 200) throw await refusedWatch(action, response)
    const onSilence = (): void => transport.dropIdle()
    return readWatch(response, { action, server: connection.server, onSilence, ...options })
  }

  return {
    cluster,
    list,
    pages,
    watch,
    get: (resource, ref, options) =>
      call({
        method: 'GET',
        path: pathOf(resource, ref) + versionQuery(options?.notOlderThan),
        accept: acceptOf(options),
        action: named('get', resource, ref),
        signal: options?.signal,
      }),
    create: (resource, object, options) => {
      const ref = refOf(object)
      return call({
        method: 'POST',
        path: pathOf(resource, { namespace: ref.namespace }),
        body: bodyOf(resource, object),
        accept: acceptOf(options),
        action: named('create', resource, ref),
        signal: options?.signal,
      })
    },
    update: (resource, object, options) => {
      const ref = { ...refOf(object), subresource: options?.subresource }
      return call({
        method: 'PUT',
        path: pathOf(resource, ref),
        body: bodyOf(resource, object),
        accept: acceptOf(options),
        action: named('update', resource, ref),
        signal: options?.signal,
      })
    },
    patch: (resource, ref, patch, options) =>
      call({
        method: 'PATCH',
        path: pathOf(resource, ref),
        body: JSON.stringify(patch),
        contentType: MERGE_PATCH,
        accept: acceptOf(options),
        action: named('patch', resource, ref),
        signal: options?.signal,
      }),
    delete: async (resource, ref, { signal, ...options } = {}) => {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options })
      await call({
        method: 'DELETE',
        path: pathOf(resource, ref),
        body,
        action: named('delete', resource, ref),
        signal,
      })
    },
    read: (path, options) =>
      call({
        method: 'GET',
        path,
        action: `read ${path} of cluster ${cluster}`,
        signal: options?.signal,
        accept: options?.accept,
      }),
    close: () => transport.close(),
  }

  function named(verb: string, resource: Resource, ref: ObjectRef): string {
    const name = ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`
    return `${verb} ${resource.kind}${ref.subresource ? ` ${ref.subresource}` : ''} ${name} of cluster ${cluster}`
  }
}

interface PageRequest extends Pick<TransportRequest, 'path' | 'accept' | 'action'> {
  /** Of the objects, for their sizes. */
  readonly kind: string
}

interface ObjectPage<T> {
  readonly items: T[] | null
  readonly metadata: ListMeta
}

interface Answer<T> {
  readonly body: T
  /** Of its JSON, about. */
  readonly bytes: number
}

/** A single object is taken whatever its size. */
const pageBound = (objects: number): number | undefined => (objects > 1 ? MAX_PAGE_BYTES : undefined)

function tooLarge(error: unknown): undefined {
  if (!isTooLarge(error)) throw error
}

/** Go's API servers write an empty list as null. */
const isList = (page: { items?: unknown; metadata?: { resourceVersion?: unknown } }): boolean =>
  (Array.isArray(page.items) || page.items === null) && typeof page.metadata?.resourceVersion === 'string'

async function collect<T>(pages: AsyncIterable<ObjectList<T>>): Promise<ObjectList<T>> {
  const items: T[] = []
  let metadata: ListMeta = { resourceVersion: '' }
  for await (const page of pages) {
    for (const item of page.items) items.push(item)
    metadata = page.metadata
  }
  return { items, metadata }
}

const refOf = (object: ApiObject): ObjectRef => ({
  namespace: object.metadata?.namespace,
  name: object.metadata?.name ?? '',
})

const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` in namespace ${namespace}`

const bodyOf = (resource: Resource, object: ApiObject): string =>
  JSON.stringify({ ...object, apiVersion: apiVersionOf(resource), kind: resource.kind })

const acceptOf = (options: { readonly metadataOnly?: boolean } | undefined): string | undefined =>
  options?.metadataOnly ? METADATA_OBJECT : undefined

const versionQuery = (notOlderThan: string | undefined): string =>
  notOlderThan === undefined ? '' : `?resourceVersion=${encodeURIComponent(notOlderThan)}`

type ListQuery = Readonly<Record<string, string | undefined>>

function listQuery(options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>, more: ListQuery): string {
  const { labelSelector, fieldSelector } = options
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...more, labelSelector, fieldSelector }))
    if (value !== undefined) query.set(name, value)
  return `?${query}`
}

function parse<T>(action: string, text: string): T {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConnectionError(`failed to ${action}: the answer is not JSON`, 'EBADMESSAGE', cause)
  }
}

async function refusedWatch(action: string, response: IncomingMessage): Promise<Error> {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > 65_536) break
  }
  return refusalOf(action, { status: response.statusCode ?? 0, headers: response.headers, text })
}
