import {
  type KeyText,
  keyText,
  otherOwnerNamed,
  ownerNameRule,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import { ownerOfKind } from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ClusterConnection,
  createApiClient,
  ENDPOINT_SLICES,
  labelName,
  runWatcher,
} from '../../../shared/kubernetes/index.ts'
import { createSliceWatch, type SlicesPicture } from './slice-watch.ts'

/**
 * Reads which Service a page has chosen: `cluster`, and `service` as NAMESPACE/NAME, or as
 * NAMESPACE/NAME/EndpointSelector.
 * @returns why it is invalid, as a text for the user; `undefined` where nothing is chosen
 */
export function parseChoice(
  query: URLSearchParams,
  clusters: readonly string[],
): ServiceKey | string | undefined {
  const text = query.get('service')
  if (text === null) return undefined
  const [namespace = '', service = '', kind, ...rest] = text.split('/')
  const ownerKind = kind === undefined ? kind : otherOwnerNamed(kind)?.owner.kind
  const isKind = kind === undefined || ownerKind !== undefined
  const isNamed = labelName(namespace).length + ownerNameRule(ownerKind)(service).length === 0
  if (rest.length > 0 || !isNamed || !isKind)
    return 'That is not the name of a Service: give NAMESPACE/NAME, such as shop/web, or shop/web/EndpointSelector.'
  const cluster = query.get('cluster') ?? ''
  if (!clusters.includes(cluster)) return 'There is no such cluster.'
  return { cluster, namespace, service, ownerKind }
}

interface ChosenSlicesOptions {
  readonly clusters: readonly ClusterConnection[]
  readonly managedBy: string
}

type Listener = (picture: SlicesPicture) => void

interface Followed {
  readonly listeners: Set<Listener>
  readonly ending: AbortController
  latest: SlicesPicture
}

/** Watches the slices of the Services that a page shows, with one watch per Service. */
export class ChosenSlices {
  readonly #clients = new Map<string, ApiClient>()
  readonly #services = new Map<KeyText, Followed>()

  readonly #options: ChosenSlicesOptions

  constructor(options: ChosenSlicesOptions) {
    this.#options = options
  }

  /** Calls back with their state, now and after each change. @returns what ends that */
  follow(service: ServiceKey, listener: Listener): () => void {
    const key = keyText(service)
    const followed = this.#services.get(key) ?? this.#begin(service)
    this.#services.set(key, followed)
    followed.listeners.add(listener)
    listener(followed.latest)
    return () => {
      followed.listeners.delete(listener)
      if (followed.listeners.size > 0) return
      followed.ending.abort()
      this.#services.delete(key)
    }
  }

  stop(): void {
    for (const { ending } of this.#services.values()) ending.abort()
    for (const client of this.#clients.values()) client.close()
  }

  #begin({ cluster, namespace, service, ownerKind }: ServiceKey): Followed {
    const followed: Followed = { listeners: new Set(), ending: new AbortController(), latest: {} }
    const { signal } = followed.ending
    const handler = createSliceWatch(this.#options.managedBy, (picture) => {
      followed.latest = picture
      for (const listener of followed.listeners) listener(picture)
    })
    const labelSelector = ownerOfKind(ownerKind).selector(service)
    const selection = { namespace, labelSelector }
    const client = this.#clientOf(cluster)
    if (client !== undefined)
      void runWatcher(client, { resource: ENDPOINT_SLICES, selection, handler, signal })
    return followed
  }

  /** Creates a client on demand: most clusters are never shown. */
  #clientOf(name: string): ApiClient | undefined {
    const connection = this.#options.clusters.find((cluster) => cluster.name === name)
    const client =
      this.#clients.get(name) ?? (connection && createApiClient(connection, { role: 'read-only' }))
    if (client !== undefined) this.#clients.set(name, client)
    return client
  }
}
