import { publishedPods } from '../endpoints/published-pods.ts'
import { readable, type SkippedObject } from '../objects/validate.ts'
import type { Node, Pod } from '../types.ts'
import type { EndpointSource } from './source.ts'

export interface ForeignPods {
  /** Pods that the Service selects in the other cluster. */
  readonly pods: readonly Pod[]
  /** All nodes of the other cluster. */
  readonly nodes: readonly Node[]
}

/**
 * Makes a source of pods of another cluster, by the same rules as the Service's own. Their endpoints name
 * neither the pod nor its node, as consumers would search for them in the cluster that the slices are in; the
 * zone is that of the node in the other cluster.
 * @example
 * ```ts
 * const metadata = { name: 'web-0', namespace: 'shop', uid: 'u2' }
 * const spec = { nodeName: 'n1', containers: [] }
 * const pod = { metadata, spec, status: { podIPs: [{ ip: '10.9.0.5' }] } }
 * const source = foreignPodSource({ pods: [pod], nodes: [{ metadata: { name: 'n1' } }] })
 * const service = {
 *   metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7' },
 * }
 * const { create } = plan({ service, pods: [], nodes: [], slices: [], source })
 * create.flatMap(({ endpoints }) => endpoints?.map(({ addresses }) => addresses[0])) // => ['10.9.0.5']
 * ```
 */
export const foreignPodSource = ({ pods, nodes }: ForeignPods): EndpointSource => ({
  *endpoints(service, skip) {
    const skipped: SkippedObject[] = []
    const read = { pods: readable('Pod', pods, skipped), nodes: readable('Node', nodes, skipped) }
    const published = publishedPods(service, read.pods, read.nodes, skipped)
    for (const object of skipped) skip(object)
    for (const { addresses, portSet, ready, serving, terminating, zone, hostname } of published.pods) {
      for (const ofType of [addresses.IPv4, addresses.IPv6]) {
        if (ofType.length === 0) continue
        yield { addresses: ofType, ports: portSet.ports, ready, serving, terminating, zone, hostname }
      }
    }
  },
})
