import { isRecord } from '../values/index.ts'
import type { ApiClient, ListMeta, ListOptions, ObjectList, Selecting } from './api-client.ts'
import { ConnectionError, ExpiredError } from './errors/errors.ts'
import { withoutManagedFields } from './managed-fields.ts'
import { inNamespace, type ListQuery, listQuery } from './requests.ts'
import { type ApiObject, apiVersionOf, pathOf, type Resource } from './resources.ts'
import type { TransportRequest } from './transport/transport.ts'
import type { NextTurn } from './work-queue/turns.ts'

/** Size of a page in bytes of JSON: few calls over a long way, and little memory for one page. */
const PAGE_BYTES = 2_000_000
/** A larger page, in bytes of JSON, is not read to its end if it may be made smaller. */
const MAX_PAGE_BYTES = 4 * PAGE_BYTES
/** Objects of a first page, while their size is not known: 5 MB where each has 50 kB. */
const FIRST_PAGE = 100
const MAX_OBJECTS = 5_000
/** A list whose snapshot expired before its last page is begun again this many times. */
const LIST_ATTEMPTS = 3
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

/** Calls the server; returns undefined if the answer is too large, which is no failure for its guard. */
type CallWithin = <T>(request: TransportRequest, reading?: Reading) => Promise<Answer<T> | undefined>

/** How an answer is read that has arrived. Default: at once, and all of it. */
export interface Reading {
  readonly nextTurn?: NextTurn | undefined
  /** Transforms its JSON before it is parsed. */
  readonly edit?: ((json: string) => string) | undefined
}

interface Answer<T> {
  readonly body: T
  /** Size of its JSON, about. */
  readonly bytes: number
}

/** Lists objects in pages of about 2 MB, by the sizes of the last ones of their kind. */
export function createPager(cluster: string, callWithin: CallWithin): Pick<ApiClient, 'list' | 'pages'> {
  const pageSizes = createPageSizes()

  /** Words for errors. */
  const actionOf = ({ kind }: Resource, { namespace }: ListOptions): string =>
    `list ${kind}s${inNamespace(namespace)} of cluster ${cluster}`

  async function* pages<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & Selecting<T> = {},
  ): AsyncGenerator<ObjectList<T>> {
    const tokens = new Set<string>()
    let token: string | undefined
    while (true) {
      const page = await onePage(resource, options, token)
      yield page
      token = page.metadata.continue || undefined
      if (token === undefined) return
      if (tokens.has(token))
        throw new ConnectionError(
          `failed to ${actionOf(resource, options)}: the server sent the same continue token twice`,
          'EBADMESSAGE',
        )
      tokens.add(token)
      await options.beforeMore?.()
    }
  }

  /** Reads one page. Only what is selected stays in memory, even while a caller waits for the next page. */
  async function onePage<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & Selecting<T>,
    token: string | undefined,
  ): Promise<ObjectList<T>> {
    const { namespace, metadataOnly, select } = options
    const action = actionOf(resource, options)
    const accept = metadataOnly ? METADATA_LIST : undefined
    const kind = `${apiVersionOf(resource)} ${resource.plural} ${accept}`
    const path = pathOf(resource, { namespace })
    const { body, bytes } = await askForPage<T>({ path, accept, action, kind }, options, token)
    if (!isList(body))
      throw new ConnectionError(`failed to ${action}: the answer is not a list with a version`, 'EBADMESSAGE')
    const items = body.items ?? []
    if (!options.passesOddItems && !items.every((item) => isRecord(item)))
      throw new ConnectionError(`failed to ${action}: an item of the list is not an object`, 'EBADMESSAGE')
    pageSizes.note(kind, { objects: items.length, bytes })
    return {
      items: select === undefined ? items : items.map((item) => select(item)),
      metadata: body.metadata,
    }
  }

  /** Asks for fewer objects if a page was too large: one tenant's may be far larger than others'. */
  async function askForPage<T>(
    { path, accept, action, kind }: PageRequest,
    options: ListOptions & Selecting<T>,
    token: string | undefined,
  ): Promise<Answer<ObjectPage<T>>> {
    const { notOlderThan, limit, signal, labelSelector, fieldSelector, nextTurn, managedFields } = options
    const edit = managedFields === false ? withoutManagedFields : undefined
    const ask = (query: ListQuery, maxBytes?: number) => {
      const text = listQuery({ labelSelector, fieldSelector }, query)
      const request = { method: 'GET' as const, path: path + text, accept, action, signal, maxBytes }
      return callWithin<ObjectPage<T>>(request, { nextTurn, edit })
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

  return { list, pages }
}

interface PageRequest extends Pick<TransportRequest, 'path' | 'accept' | 'action'> {
  /** Kind of the objects, for their sizes. */
  readonly kind: string
}

interface ObjectPage<T> {
  readonly items: T[] | null
  readonly metadata: ListMeta
}

/** Returns the maximum bytes of a page; a single object may have any size. */
const pageBound = (objects: number): number | undefined => (objects > 1 ? MAX_PAGE_BYTES : undefined)

/**
 * Reports whether an answer is a list. Go's API servers write an empty list as null. A watch of a list
 * without a version would miss what was deleted between the two.
 */
const isList = (page: unknown): boolean =>
  isRecord(page) &&
  (Array.isArray(page.items) || page.items === null) &&
  isRecord(page.metadata) &&
  typeof page.metadata.resourceVersion === 'string' &&
  page.metadata.resourceVersion !== ''

async function collect<T>(pages: AsyncIterable<ObjectList<T>>): Promise<ObjectList<T>> {
  const items: T[] = []
  let metadata: ListMeta = { resourceVersion: '' }
  for await (const page of pages) {
    for (const item of page.items) items.push(item)
    metadata = page.metadata
  }
  return { items, metadata }
}

/**
 * Remembers for each kind of list how many of its objects make a page. Sizes fall at once, and at most double
 * from page to page: objects of the next page may be larger.
 */
export function createPageSizes() {
  const sizes = new Map<string, number>()
  const next = (kind: string): number => sizes.get(kind) ?? FIRST_PAGE
  return {
    /** Returns the number of objects to ask for. */
    next,
    /** Records the number of objects and the size of a page. */
    note(kind: string, { objects, bytes }: { readonly objects: number; readonly bytes: number }): void {
      if (objects === 0) return
      const fitting = Math.floor((PAGE_BYTES * objects) / bytes)
      sizes.set(kind, Math.min(Math.max(fitting, 1), 2 * next(kind), MAX_OBJECTS))
    },
    /** Records that a page of `objects` was too large. Returns the number to ask for instead, at least 1. */
    lower(kind: string, objects: number): number {
      const fewer = Math.max(1, Math.floor(objects / 8))
      sizes.set(kind, fewer)
      return fewer
    },
  }
}
