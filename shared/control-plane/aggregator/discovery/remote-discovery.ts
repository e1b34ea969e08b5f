import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { ObjectStore } from '../../apiserver/storage/object-store.ts'
import { type Outcome, Poller } from '../../controllers/poller.ts'
import { pathOf, RESOURCE } from '../api-service.ts'
import type { Delegates } from '../delegates.ts'
import type { Delegate } from '../delegation/delegate.ts'
import { fetchFrom } from '../delegation/fetch.ts'
import { AGGREGATOR, AGGREGATOR_MASTER, identityHeaders } from '../delegation/identity-headers.ts'
import { apiServicesIn } from '../services.ts'
import { AGGREGATED, isAggregated, parsed, readAggregated, readLegacy } from './read-discovery.ts'
import { type RemoteDocument, remoteDocument } from './remote-document.ts'

/** Milliseconds until a server is asked again what it serves. */
const INTERVAL = 60_000
/** Milliseconds until one that did not answer is asked again; twice as long each time, up to the interval. */
const FIRST_RETRY = 500

/** Documents of one group-version that a server has sent. */
interface Known {
  /** Undefined where it did not answer the last time. */
  readonly resources: readonly JsonObject[] | undefined
  /** The URL of its OpenAPI v3 document. */
  readonly openApi: string | undefined
  /** Document of the last time that it answered. */
  readonly document: RemoteDocument | undefined
}

const NOTHING: Known = { resources: undefined, openApi: undefined, document: undefined }

/**
 * Asks other servers what they serve, when an APIService changes and once a minute. It is never waited for:
 * until a server has answered, and again from when it does not, its group-version has no resources and is
 * stale.
 */
export class RemoteDiscovery {
  readonly #store: ObjectStore
  readonly #delegates: Delegates
  readonly #poller: Poller
  readonly #known = new Map<string, Known>()
  #documentsGeneration = 0
  #unsubscribe: (() => void) | undefined

  constructor(store: ObjectStore, delegates: Delegates, onError: (error: unknown) => void) {
    this.#store = store
    this.#delegates = delegates
    this.#poller = new Poller({
      work: (name) => this.#ask(name),
      interval: INTERVAL,
      firstRetry: FIRST_RETRY,
      onError,
    })
  }

  start(): void {
    for (const { metadata } of apiServicesIn(this.#store)) this.#poller.poke(metadata.name ?? '')
    this.#unsubscribe = this.#store.subscribe(RESOURCE, ({ type, object }) => {
      const { name = '' } = object.metadata
      if (type === 'DELETED') this.#forget(name)
      else this.#poller.poke(name)
    })
  }

  stop(): void {
    this.#poller.stop()
    this.#unsubscribe?.()
  }

  /** Returns the entry of aggregated discovery for a group-version that another server serves. */
  entry(delegate: Delegate, name: string): JsonObject {
    const { resources } = this.#known.get(name) ?? NOTHING
    const { version } = delegate.groupVersion
    const isCurrent = delegate.isAvailable && resources !== undefined
    return {
      version,
      ...(isCurrent && resources.length > 0 ? { resources: [...resources] } : {}),
      freshness: isCurrent ? 'Current' : 'Stale',
    }
  }

  /** Returns the URL of a group-version's OpenAPI v3 document, relative to this server, if there is one. */
  openApi(name: string): string | undefined {
    return this.#known.get(name)?.openApi
  }

  /** OpenAPI v2 of all, in the order of their names; `generation` grows with every change. */
  get documents(): { readonly generation: number; readonly all: JsonObject[] } {
    const sorted = [...this.#known].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      generation: this.#documentsGeneration,
      all: sorted.flatMap(([, { document }]) => (document ? [document.document] : [])),
    }
  }

  #forget(name: string): void {
    this.#poller.forget(name)
    this.#keep(name, undefined)
  }

  async #ask(name: string): Promise<Outcome> {
    const delegate = this.#delegates.get(name)
    const before = this.#known.get(name) ?? NOTHING
    const known = delegate ? await askFor(delegate, name, before) : NOTHING
    // It may have changed meanwhile: then it is asked once more.
    if (this.#delegates.get(name) !== delegate) return 'stale'
    this.#keep(name, delegate && known)
    if (!delegate) return undefined
    return known.resources ? 'good' : 'bad'
  }

  #keep(name: string, known: Known | undefined): void {
    if (this.#known.get(name)?.document !== known?.document) this.#documentsGeneration++
    if (known) this.#known.set(name, known)
    else this.#known.delete(name)
  }
}

/** Asks the other server. Failures are its own: its APIService says whether it is available. */
async function askFor(delegate: Delegate, name: string, before: Known): Promise<Known> {
  if (!delegate.isAvailable) return { ...NOTHING, document: before.document }
  const resources = await resourcesOf(delegate, name).catch(() => undefined)
  if (!resources) return { ...NOTHING, document: before.document }
  const openApi = await openApiOf(delegate).catch(() => undefined)
  const document = await remoteDocument(delegate, before.document).catch(() => before.document)
  return { resources, openApi, document }
}

async function resourcesOf(delegate: Delegate, name: string): Promise<readonly JsonObject[] | undefined> {
  const headers = { accept: AGGREGATED.join(','), ...identityHeaders(AGGREGATOR_MASTER) }
  const { status, headers: answered, text } = await fetchFrom(delegate, { path: '/apis', headers })
  if (status === 503) return undefined
  if (status === 200 && isAggregated(answered['content-type'] ?? ''))
    return readAggregated(text).get(name) ?? []
  return await legacyResourcesOf(delegate)
}

async function legacyResourcesOf(delegate: Delegate): Promise<readonly JsonObject[] | undefined> {
  const headers = { accept: 'application/json', ...identityHeaders(AGGREGATOR) }
  const { status, text } = await fetchFrom(delegate, { path: pathOf(delegate.groupVersion), headers })
  return status === 200 ? readLegacy(text) : undefined
}

/** Asks for OpenAPI of the group-version alone. Other parts that a server describes are not its own. */
async function openApiOf(delegate: Delegate): Promise<string | undefined> {
  const headers = { accept: 'application/json', ...identityHeaders(AGGREGATOR) }
  const { status, text } = await fetchFrom(delegate, { path: '/openapi/v3', headers })
  if (status !== 200) return undefined
  const path = pathOf(delegate.groupVersion).slice(1)
  const entry = objectAt(parsed(text), 'paths')[path]
  const url = isObject(entry) ? stringAt(entry, 'serverRelativeURL') : ''
  return url === `/openapi/v3/${path}` || url.startsWith(`/openapi/v3/${path}?`) ? url : undefined
}
