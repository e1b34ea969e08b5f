import type { EndpointSlice, Node, Pod, Service } from '../../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../shared/kubernetes/index.ts'

export interface ClusterObjects {
  readonly services: readonly Service[]
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
}

/** Reads all inputs of endpoints once. */
export async function readObjects(client: ApiClient, namespaces: readonly string[]): Promise<ClusterObjects> {
  const services: Service[] = []
  const pods: Pod[] = []
  for (const namespace of namespaces) {
    services.push(...(await client.list(SERVICES, { namespace })).items)
    pods.push(...(await client.list(PODS, { namespace })).items)
  }
  const nodes = (await client.list(NODES)).items
  return { services, pods, nodes }
}

export async function readSlices(
  client: ApiClient,
  namespaces: readonly string[],
): Promise<readonly EndpointSlice[]> {
  const lists = namespaces.map((namespace) => client.list(ENDPOINT_SLICES, { namespace }))
  return (await Promise.all(lists)).flatMap(({ items }) => items)
}
