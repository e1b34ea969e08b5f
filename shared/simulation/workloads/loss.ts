import { LABEL_ZONE, type Node } from '../../endpointslice/index.ts'
import { createRandom } from '../random.ts'
import { type ClusterSize, createSimulatedCluster, withState } from './cluster.ts'
import type { PodEvent, Workload } from './workload.ts'

/** A Node, or a whole zone, fails without notice. */
export interface LossOptions {
  readonly seed: number
  readonly of: 'node' | 'zone'
  /** Seconds until the Pods are evicted and replaced; default 300, the default toleration of Kubernetes. */
  readonly eviction?: number
}

/** A zone's Nodes are found missing one by one: leases expire as far apart as they were renewed. */
const LEASE_MS = 10_000

/**
 * Creates the workload of a lost Node or zone. Its Pods become unready when the Node is found missing. They
 * are deleted at their eviction, when new ones are ready elsewhere.
 * @example
 * ```ts
 * const workload = lossWorkload({ services: 1, endpoints: 12, nodes: 3 }, { of: 'node', seed: 1 })
 * const { run } = await simulate({ workload, policy: 'in-tree' })
 * run.writes > 0 // => true
 * ```
 */
export function lossWorkload(size: ClusterSize, options: LossOptions): Workload {
  const { services, nodes, pods } = createSimulatedCluster(size)
  return { services, nodes, pods, events: () => [lose(size, options)] }
}

function lose(size: ClusterSize, options: LossOptions): PodEvent[] {
  const { eviction = 300 } = options
  const cluster = createSimulatedCluster(size)
  const random = createRandom(options.seed)
  const first = random.pick(cluster.nodes)
  const isLost = (node: Node): boolean =>
    options.of === 'node' ? node === first : zoneOf(node) === zoneOf(first)
  const missingAt = new Map(
    cluster.nodes.filter(isLost).map((node) => [node.metadata?.name, random.below(LEASE_MS)]),
  )
  const stays = (node: string | undefined): boolean => !missingAt.has(node)
  const events: PodEvent[] = []
  for (const [index, pod] of cluster.pods.entries()) {
    const atMs = missingAt.get(pod.spec?.nodeName)
    if (atMs === undefined) continue
    const unready = withState(pod, { isReady: false }, 2)
    events.push({ atMs, pod: unready })
    const evictedMs = atMs + eviction * 1000
    events.push({ atMs: evictedMs, pod: unready, isGone: true })
    events.push({ atMs: evictedMs, pod: replacement(cluster, Math.floor(index / size.endpoints), stays) })
  }
  return events.sort((a, b) => a.atMs - b.atMs)
}

const zoneOf = (node: Node | undefined): string | undefined => node?.metadata?.labels?.[LABEL_ZONE]

function replacement(
  cluster: ReturnType<typeof createSimulatedCluster>,
  service: number,
  stays: (node: string | undefined) => boolean,
) {
  const pod = cluster.newPod(service)
  if (stays(pod.spec?.nodeName)) return pod
  const node = cluster.nodes.find(({ metadata }) => stays(metadata?.name))
  return { ...pod, spec: { ...pod.spec, containers: [{ name: 'app' }], nodeName: node?.metadata?.name } }
}
