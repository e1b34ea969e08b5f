import pLimit from 'p-limit'
import type { RawClient } from '../../support/raw-client.ts'
import { makeNode, makePod, makePodStatus } from '../../support/world/index.ts'
import type { BenchCluster } from './arena.ts'

export interface Shape {
  readonly services: number
  /** Counts those of each Service in each cluster that exports it. */
  readonly pods: number
}

/** A Service of the set. */
export interface FleetService {
  readonly namespace: string
  readonly name: string
  /** Indices of the clusters that export it. */
  readonly exporters: readonly number[]
}

/** Records for each address when its pod became ready, or was deleted. */
export interface ChangeTimes {
  ready(address: string): void
  gone(address: string): void
}

const NAMESPACES = 10
const NODE = 'node-1'
const WRITES_AT_ONCE = 16

/** Makes them so that two clusters export each, as many by each cluster. */
export const servicesOf = ({ services }: Shape, clusters: number): FleetService[] =>
  Array.from({ length: services }, (_, index) => ({
    namespace: `team-${index % NAMESPACES}`,
    name: `service-${index}`,
    exporters: [...new Set([index % clusters, (index + 1) % clusters])],
  }))

/** Returns the address of a pod: no two pods ever have the same. */
const addressOf = (cluster: number, nth: number): string => `10.${128 + cluster}.${nth >> 8}.${nth & 255}`

/** The pods of one cluster, which are replaced one by one. */
export interface ClusterPods {
  readonly cluster: BenchCluster
  /** Holds what runs by Service, the oldest first. */
  readonly running: ReadonlyMap<FleetService, { name: string; address: string }[]>
  start(service: FleetService, times?: ChangeTimes): Promise<void>
  /** Ends the oldest pod of the Service. */
  end(service: FleetService, times?: ChangeTimes): Promise<void>
}

/** Makes namespaces, Services, their pods or slices, and exports. */
export async function populate(
  clusters: readonly BenchCluster[],
  services: readonly FleetService[],
  shape: Shape,
): Promise<ClusterPods[]> {
  return Promise.all(
    clusters.map(async (cluster, index) => {
      const own = services.filter(({ exporters }) => exporters.includes(index))
      const pods = createPods(cluster, index)
      await must(cluster.client.post('/api/v1/nodes', makeNode({ name: NODE })))
      for (const namespace of new Set(services.map((each) => each.namespace)))
        await must(cluster.client.post('/api/v1/namespaces', { metadata: { name: namespace } }))
      const limit = pLimit(WRITES_AT_ONCE)
      await Promise.all(own.map((service) => limit(() => makeService(cluster, pods, service, shape))))
      return pods
    }),
  )
}

async function makeService(
  cluster: BenchCluster,
  pods: ClusterPods & { nextAddress(): string },
  service: FleetService,
  shape: Shape,
): Promise<void> {
  const { client, hasPods } = cluster
  const { namespace, name } = service
  const ports = [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }]
  const spec = { ports, ...(hasPods && { selector: { app: name } }) }
  await must(client.post(`/api/v1/namespaces/${namespace}/services`, { metadata: { name }, spec }))
  if (hasPods) for (let pod = 0; pod < shape.pods; pod += 1) await pods.start(service)
  else
    await must(
      client.post(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
        metadata: { name, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
        endpoints: Array.from({ length: shape.pods }, () => ({ addresses: [pods.nextAddress()] })),
      }),
    )
  const object = { apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceExport', metadata: { name } }
  await must(
    client.post(`/apis/multicluster.x-k8s.io/v1beta1/namespaces/${namespace}/serviceexports`, object),
  )
}

function createPods(cluster: BenchCluster, index: number): ClusterPods & { nextAddress(): string } {
  const { client } = cluster
  const running = new Map<FleetService, { name: string; address: string }[]>()
  let started = 0
  const nextAddress = (): string => {
    started += 1
    return addressOf(index, started)
  }
  const listOf = (service: FleetService): { name: string; address: string }[] => {
    const list = running.get(service) ?? []
    running.set(service, list)
    return list
  }
  return {
    cluster,
    running,
    nextAddress,
    async start(service, times) {
      const { namespace, name: app } = service
      const address = nextAddress()
      const name = `${app}-${started}`
      const path = `/api/v1/namespaces/${namespace}/pods`
      await must(client.post(path, makePod({ namespace, name, labels: { app }, nodeName: NODE })))
      const status = makePodStatus([address], { transitionTime: new Date() })
      times?.ready(address)
      await must(client.patch(`${path}/${name}/status`, { status }))
      listOf(service).push({ name, address })
    },
    async end(service, times) {
      const oldest = listOf(service).shift()
      if (oldest === undefined) return
      times?.gone(oldest.address)
      const path = `/api/v1/namespaces/${service.namespace}/pods/${oldest.name}`
      await must(client.delete(path, { gracePeriodSeconds: 0 }))
    },
  }
}

export async function must(response: ReturnType<RawClient['get']>): Promise<void> {
  const { status, text } = await response
  if (status >= 300) throw new Error(`an API server refused what the bench asked with ${status}: ${text}`)
}
