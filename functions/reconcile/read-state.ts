import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Service,
} from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NotFoundError, SERVICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'

export interface StateReaderOptions {
  readonly client: ApiClient
  readonly key: KeyMessage
  /** Default: slices by any manager. */
  readonly managedBy?: string
  readonly signal: AbortSignal
}

/** What a key's Service and its slices are by now. */
export interface ServiceState {
  /** Those labelled with the Service's name and the managed-by value asked for. */
  readonly slices: readonly EndpointSlice[]
  /** Absent when there is none. */
  readonly service: Service | undefined
}

/**
 * Reads the slices first and then the Service: whoever writes a slice last saw a Service, and after it pods, at least as
 * new as those of any earlier writer of it.
 * @throws KubernetesError when a read failed
 */
export async function readState(options: StateReaderOptions): Promise<ServiceState> {
  const slices = await readSlices(options)
  return { slices, service: await readService(options) }
}

async function readSlices({ client, key, managedBy, signal }: StateReaderOptions): Promise<EndpointSlice[]> {
  const ofManager = managedBy === undefined ? '' : `,${LABEL_MANAGED_BY}=${managedBy}`
  const labelSelector = `${LABEL_SERVICE_NAME}=${key.service}${ofManager}`
  const { items } = await client.list(ENDPOINT_SLICES, { namespace: key.namespace, labelSelector, signal })
  return [...items]
}

/** Only the API server's own word on this very Service counts as its absence: a proxy's 404 does not. */
async function readService({ client, key, signal }: StateReaderOptions): Promise<Service | undefined> {
  const { namespace, service: name } = key
  try {
    return await client.get(SERVICES, { namespace, name }, { signal })
  } catch (error) {
    const isAbsent =
      error instanceof NotFoundError && error.reason === 'NotFound' && error.status.details?.name === name
    if (isAbsent) return undefined
    throw error
  }
}
