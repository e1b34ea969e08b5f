import type { Node } from '../../endpointslice/index.ts'
import type { Change } from '../key-queue/change.ts'
import type { ObjectKey } from '../selection/object-form.ts'
import type { ServiceEntry } from '../tables/service-table.ts'
import type { KindTable } from './kind-index.ts'
import { isOurs } from './service-facts.ts'
import { changeOf, servicesWith, type Tables } from './tables.ts'

/** Finds the keys that a Node concerns: those with endpoints on it, and those with hints by capacity. */
export function createNodeIndex(tables: Pick<Tables, 'services' | 'pods' | 'nodes'>): KindTable<Node> {
  const { services, pods, nodes } = tables

  function* servicesOnNodes(names: ReadonlySet<string>): Generator<ServiceEntry> {
    if (names.size === 0) return
    for (const [, pod] of pods.entries()) if (names.has(pod.node)) yield* servicesWith(tables, pod)
  }

  function* servicesWithTopologyHints(): Generator<ServiceEntry> {
    for (const [, service] of services.entries())
      if (service.topologyHints && isOurs(service, false)) yield service
  }

  /** Returns the keys of the endpoints on Nodes with another zone, and of all topology hints by capacity. */
  function nodesChanged(zoned: ReadonlySet<string>, capacityChanged: boolean): Change[] {
    const concerned = new Set(servicesOnNodes(zoned))
    if (capacityChanged) for (const service of servicesWithTopologyHints()) concerned.add(service)
    return [...concerned].map((service) => changeOf(service))
  }

  function putNode(_key: ObjectKey, node: Node): Change[] {
    const name = node.metadata?.name ?? ''
    const { before, after } = nodes.put(name, node)
    const zoned = before?.zone === after.zone ? [] : [name]
    return nodesChanged(new Set(zoned), before?.zone !== after.zone || before.capacity !== after.capacity)
  }

  function removeNode(_key: ObjectKey, node: Node): Change[] {
    const name = node.metadata?.name ?? ''
    return nodes.delete(name, node) ? nodesChanged(new Set([name]), true) : []
  }

  return {
    size: nodes.size,
    listing: nodes.listing,
    put: putNode,
    remove: removeNode,
    listed(resourceVersion) {
      const gone = nodes.listed(resourceVersion)
      return nodesChanged(gone, gone.size > 0)
    },
  }
}
