/**
 * Endpoints that must be published, computed from the objects of the API servers by code that shares nothing
 * with the planner (test/support/world).
 */
import { BlockList, isIPv6 } from 'node:net'
import { ANNOTATION_PAUSED, hasSeal } from '../../shared/changes/index.ts'
import type { EndpointSlice, Pod, Service } from '../../shared/endpointslice/index.ts'
import {
  checkSlices,
  checkUntouched,
  expectedSelection,
  readObjects,
  readSlices,
} from '../support/world/index.ts'
import { readSet } from './fleet-offers.ts'
import { checkImports } from './fleet-oracle.ts'
import { MANAGED_BY, NAMESPACES_OF_HISTORY, placeOf, readSelectors, textOf } from './objects.ts'
import { checkSelectors, selectorOf } from './selectors.ts'
import type { HistoryCluster, World } from './world.ts'

/** Compares what is published now. Resolves to a line for each difference. */
type Check = () => Promise<string[]>

/**
 * Reads the objects once; nothing changes them until the last check. A cluster that Sliceflow does not reach
 * is left out.
 */
export async function openCheck(world: World): Promise<Check> {
  const reached = world.clusters.filter(({ outage }) => outage === undefined)
  const checks = await Promise.all(reached.map((cluster) => openClusterCheck(cluster, world)))
  const all = async (): Promise<string[]> => (await Promise.all(checks.map((check) => check()))).flat()
  if (world.scene.fleet !== true) return all
  const isRefused = refusalOf(world.runs.settings.refusedAddresses)
  return async () => {
    const own = await all()
    // What is imported follows from slices that are right.
    if (own.length > 0) return own
    const set = await readSet(world)
    const imports = reached.map(async (cluster) =>
      (await checkImports(cluster, set, isRefused)).map((line) => `${cluster.name} ${line}`),
    )
    return (await Promise.all(imports)).flat()
  }
}

async function openClusterCheck(cluster: HistoryCluster, { scene, runs }: World): Promise<Check> {
  const { refusedAddresses } = runs.settings
  const { services, pods, nodes } = await readObjects(cluster.client, NAMESPACES_OF_HISTORY)
  const selectors = await readSelectors(cluster.client)
  const isRefused = refusalOf(refusedAddresses)
  const allowed = pods.map((pod) => withoutRefused(pod, isRefused))
  return async () => {
    const all = await readSlices(cluster.client, NAMESPACES_OF_HISTORY)
    const managed = new Set(
      services.filter((service) => expectedSelection(service, scene.mode) !== undefined).map(placeText),
    )
    const paused = new Set(services.filter(isPaused).map(placeText))
    // Sliceflow leaves what it has not made where the Service is not its own, or is gone.
    const slices = all.filter(
      (slice) =>
        selectorOf(slice) === undefined &&
        (hasSeal(slice) || managed.has(serviceOf(slice))) &&
        !paused.has(serviceOf(slice)),
    )
    const unpaused = services.filter((service) => !isPaused(service))
    const input = {
      services: unpaused,
      pods: allowed,
      nodes,
      slices,
      maxEndpointsPerSlice: runs.highestMaximum,
    }
    return [
      ...checkSlices({ ...input, mode: scene.mode, managedBy: MANAGED_BY }),
      ...checkSelectors(selectors, { ...input, slices: all, managedBy: MANAGED_BY }),
      ...checkUntouched(cluster.foreign, all),
    ].map((line) => `${cluster.name} ${line}`)
  }
}

/** Its slices may be those of any time before. */
export const isPaused = ({ metadata }: Service): boolean =>
  metadata?.annotations?.[ANNOTATION_PAUSED] === 'true'

const placeText = (service: Service): string => textOf(placeOf(service))
const serviceOf = ({ metadata }: EndpointSlice): string =>
  `${metadata?.namespace}/${metadata?.labels?.['kubernetes.io/service-name']}`

/** Reads the setting refusedAddresses, of which a history only draws CIDR ranges and `special`. */
function refusalOf(setting: string): (address: string) => boolean {
  const list = new BlockList()
  for (const range of setting.split(',')) {
    const [net = '', prefix] = range.split('/')
    if (prefix !== undefined) list.addSubnet(net, Number(prefix), isIPv6(net) ? 'ipv6' : 'ipv4')
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function withoutRefused(pod: Pod, isRefused: (address: string) => boolean): Pod {
  const podIPs = (pod.status?.podIPs ?? []).filter(({ ip }) => !isRefused(ip))
  const { podIP: _, ...status } = pod.status ?? {}
  return { ...pod, status: { ...status, podIPs } }
}
