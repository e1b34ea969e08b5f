import type { ServiceKey } from '../../shared/changes/index.ts'
import { SERVICE_OWNER } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  apiVersionOf,
  ENDPOINT_SLICES,
  labelName,
  NotFoundError,
  type Resource,
  SERVICES,
} from '../../shared/kubernetes/index.ts'

/** Reads a Service and all of its slices, of any manager, from the newest data; with apiVersion and kind. */
export type ReadService = (key: ServiceKey, signal: AbortSignal) => Promise<readonly object[]>

/** @param clientOf throws for a cluster that is not known */
export function createServiceReader(
  clientOf: (cluster: string) => ApiClient | Promise<ApiClient>,
): ReadService {
  return async ({ cluster, namespace, service }, signal) => {
    const client = await clientOf(cluster)
    // No Service has such a name, and no selector could ask for it.
    if (labelName(service).length > 0) return []
    const labelSelector = SERVICE_OWNER.selector(service)
    const [object, slices] = await Promise.all([
      getOrNothing(client, { namespace, name: service }, signal),
      client.list(ENDPOINT_SLICES, { namespace, labelSelector, signal }),
    ])
    return [
      ...(object === undefined ? [] : [typed(SERVICES, object)]),
      ...slices.items.map((slice) => typed(ENDPOINT_SLICES, slice)),
    ]
  }
}

async function getOrNothing(
  client: ApiClient,
  ref: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<object | undefined> {
  try {
    return await client.get(SERVICES, ref, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

const typed = (resource: Resource, object: object): object => ({
  ...object,
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
})
