import type { ServiceKey } from '../../shared/changes/index.ts'
import { SERVICE_OWNER } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  apiVersionOf,
  ENDPOINT_SLICES,
  labelName,
  type Resource,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { readObject } from '../../shared/reconciler/index.ts'

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
      readObject(client, SERVICES, { namespace, name: service }, { signal }),
      client.list(ENDPOINT_SLICES, { namespace, labelSelector, signal }),
    ])
    return [
      ...(object === undefined ? [] : [typed(SERVICES, object)]),
      ...slices.items.map((slice) => typed(ENDPOINT_SLICES, slice)),
    ]
  }
}

const typed = (resource: Resource, object: object): object => ({
  ...object,
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
})
