import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { SERVICE_OWNER } from '../../../shared/endpointslice/index.ts'
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
 * Reads which Service a page has chosen: `cluster`, and `service` as NAMESPACE/NAME.
 * @returns why it is invalid, as a text for the user; `undefined` where nothing is chosen
 */
export function parseChoice(
  query: URLSearchParams,
  clusters: readonly string[],
): ServiceKey | string | undefined {
  const text = query.get('service')
  if (text === null) return undefined
  const [namespace = '', service = '', ...rest] = text.split('/')
  if (rest.length > 0 || [namespace, service].some((part) => labelName(part).length > 0))
    return 'That is not the name of a Service: give NAMESPACE/NAME, such as shop/web.'
  const cluster = query.get('cluster') ?? ''
  return clusters.includes(cluster) ? { cluster, namespace, service } : 'There is no such cluster.'
}

/** Watches the slices of the Services that a page shows, with one watch per Service. */
export interface ChosenSlices {
  /** Calls back with their state, now and after each change. @returns what ends that */
  follow(service: ServiceKey, tell: (picture: SlicesPicture) => void): () => void
  stop(): void
}

export interface ChosenSlicesOptions {
  readonly clusters: readonly ClusterConnection[]
  /** The value of slices that are ours. */
  readonly managedBy: string
}

interface Followed {
  readonly listeners: Set<(picture: SlicesPicture) => void>
  readonly ending: AbortController
  latest: SlicesPicture
}

export function createChosenSlices({ clusters, managedBy }: ChosenSlicesOptions): ChosenSlices {
  const clients = new Map<string, ApiClient>()
  const services = new Map<KeyText, Followed>()

  /** Creates a client on demand: most clusters are never shown. */
  function clientOf(name: string): ApiClient | undefined {
    const connection = clusters.find((cluster) => cluster.name === name)
    const client = clients.get(name) ?? (connection && createApiClient(connection, { role: 'read-only' }))
    if (client !== undefined) clients.set(name, client)
    return client
  }

  function begin({ cluster, namespace, service }: ServiceKey): Followed {
    const followed: Followed = { listeners: new Set(), ending: new AbortController(), latest: {} }
    const { signal } = followed.ending
    const handler = createSliceWatch(managedBy, (picture) => {
      followed.latest = picture
      for (const tell of followed.listeners) tell(picture)
    })
    const client = clientOf(cluster)
    const labelSelector = SERVICE_OWNER.selector(service)
    if (client !== undefined)
      void runWatcher(client, {
        resource: ENDPOINT_SLICES,
        selection: { namespace, labelSelector },
        handler,
        signal,
      })
    return followed
  }

  return {
    follow(service, tell) {
      const key = keyText(service)
      const followed = services.get(key) ?? begin(service)
      services.set(key, followed)
      followed.listeners.add(tell)
      tell(followed.latest)
      return () => {
        followed.listeners.delete(tell)
        if (followed.listeners.size > 0) return
        followed.ending.abort()
        services.delete(key)
      }
    },
    stop() {
      for (const { ending } of services.values()) ending.abort()
      for (const client of clients.values()) client.close()
    },
  }
}
