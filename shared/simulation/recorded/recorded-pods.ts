import type { Endpoint, EndpointPort, Pod } from '../../endpointslice/index.ts'
import type { EndpointFields } from '../../recording/index.ts'
import { podInState } from '../workloads/index.ts'
import { SELECTED, targetName } from './recorded-services.ts'

/** The slice that an endpoint is in. */
export interface Place {
  readonly namespace: string
  readonly service: string
  readonly slice: string
  readonly addressType: string
  readonly ports: readonly EndpointPort[]
}

/** A Pod, as far as its endpoints show it. */
interface Known {
  readonly namespace: string
  readonly name: string
  uid: string
  node: string
  zone: string | undefined
  hostname: string | undefined
  isReady: boolean
  isTerminating: boolean
  /** Its addresses by their type. */
  readonly addresses: Map<string, readonly string[]>
  ports: readonly EndpointPort[]
  /** The Service of each slice that it is in, by the name of the slice. */
  readonly slices: Map<string, string>
  version: number
  /** The Pod as it was last delivered. Absent where more of it may differ than its state. */
  pod: Pod | undefined
}

/** Reconstructs Pods from their endpoints. Each method returns the Pod if it changed. */
interface RecordedPods {
  /** Puts an endpoint into a slice. */
  put(place: Place, endpoint: Endpoint): Pod | undefined
  /** Changes fields of an endpoint. Ignores an unknown one. */
  change(place: Place, name: string, fields: EndpointFields): Pod | undefined
  /** Removes an endpoint from a slice. */
  leave(place: Place, endpoint: Endpoint): { readonly pod: Pod; readonly isGone: boolean } | undefined
  /** Lists the known endpoints of a slice, by the names of their Pods. */
  of(place: Place): readonly Endpoint[]
  /** The zone of a Pod's Node, by the name of the Node. */
  readonly zones: ReadonlyMap<string, string | undefined>
  all(): Pod[]
}

/** Returns the name of an endpoint's Pod, or the address of an endpoint without a Pod behind it. */
export const podName = ({ targetRef, addresses }: Endpoint): string => targetRef?.name ?? addresses.join(',')

export function createRecordedPods(): RecordedPods {
  const pods = new Map<string, Known>()
  const zones = new Map<string, string | undefined>()
  const keyOf = ({ namespace }: Place, name: string): string => `${namespace}/${name}`

  function addNode({ node, zone }: Known): void {
    zones.set(node, zone)
  }

  return {
    put(place, endpoint) {
      const name = podName(endpoint)
      const key = keyOf(place, name)
      const known = pods.get(key) ?? newPod(place, name)
      const isNew = known.slices.size === 0
      pods.set(key, known)
      const isSelectedAnew = ![...known.slices.values()].includes(place.service)
      known.slices.set(place.slice, place.service)
      known.ports = place.ports
      known.pod = undefined
      const isOther = update(known, { ...endpoint, hostname: endpoint.hostname }, place, endpoint.addresses)
      addNode(known)
      return isNew || isSelectedAnew || isOther ? podOf(known) : undefined
    },
    change(place, name, fields) {
      const known = pods.get(keyOf(place, name))
      if (known === undefined) return undefined
      const isOther = update(known, fields, place)
      if (!isOfState(fields)) {
        known.pod = undefined
        addNode(known)
      }
      return isOther ? podOf(known) : undefined
    },
    leave(place, endpoint) {
      const key = keyOf(place, podName(endpoint))
      const known = pods.get(key)
      if (known?.slices.delete(place.slice) !== true) return undefined
      known.pod = undefined
      const isGone = known.slices.size === 0
      if (isGone) pods.delete(key)
      else known.addresses.delete(place.addressType)
      return { pod: podOf(known), isGone }
    },
    of: ({ namespace, slice }) =>
      [...pods.values()]
        .filter((known) => known.namespace === namespace && known.slices.has(slice))
        .map(({ name }) => ({ addresses: [], targetRef: { name } })),
    zones,
    all: () => [...pods.values()].map(podOf),
  }
}

/** Node of endpoints without one: a plan leaves out Pods without a Node. */
const NO_NODE = 'none'

const newPod = ({ namespace }: Place, name: string): Known => ({
  namespace,
  name,
  uid: '',
  node: NO_NODE,
  zone: undefined,
  hostname: undefined,
  isReady: false,
  isTerminating: false,
  addresses: new Map(),
  ports: [],
  slices: new Map(),
  version: 0,
  pod: undefined,
})

/** Reports whether these fields are conditions alone. */
function isOfState(fields: EndpointFields): boolean {
  for (const name in fields) if (name !== 'conditions') return false
  return true
}

/** @returns whether anything changed */
function update(
  known: Known,
  fields: EndpointFields,
  { addressType }: Place,
  addresses?: readonly string[],
): boolean {
  const { conditions, targetRef, nodeName, zone, hostname } = fields
  const before = known.addresses.get(addressType)
  // A Service may publish Pods that are not ready, so the condition `serving` decides.
  const { isReady, isTerminating } =
    conditions === undefined
      ? known
      : {
          isReady: conditions.serving ?? conditions.ready ?? true,
          isTerminating: conditions.terminating ?? false,
        }
  const after = {
    uid: targetRef?.uid ?? known.uid,
    node: nodeName ?? known.node,
    zone: zone ?? known.zone,
    hostname: hostname ?? known.hostname,
    isReady,
    isTerminating,
  }
  const isOther =
    after.isReady !== known.isReady ||
    after.isTerminating !== known.isTerminating ||
    after.uid !== known.uid ||
    after.node !== known.node ||
    after.hostname !== known.hostname ||
    (addresses !== undefined && addresses.join() !== before?.join())
  if (addresses !== undefined) known.addresses.set(addressType, addresses)
  known.uid = after.uid
  known.node = after.node
  known.zone = after.zone
  known.hostname = after.hostname
  known.isReady = isReady
  known.isTerminating = isTerminating
  return isOther
}

function podOf(known: Known): Pod {
  known.pod = podInState(known.pod ?? podOfKnown(known), {
    version: ++known.version,
    isReady: known.isReady,
    isTerminating: known.isTerminating,
  })
  return known.pod
}

/** Reports whether it is a Service: endpoints of other owners have no hostnames. */
const isServiceName = (service: string): boolean => !service.includes('.')

/** Creates the Pod with the fields that a plan reads, but without its state. */
function podOfKnown({ namespace, name, uid, node, hostname, addresses, ports, slices }: Known): Pod {
  const services = [...new Set(slices.values())]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid,
      labels: Object.fromEntries(services.map((service) => [service, SELECTED])),
    },
    spec: {
      nodeName: node,
      ...(hostname !== undefined && { hostname, subdomain: services.find(isServiceName) }),
      containers: containersWith(ports),
    },
    status: { podIPs: [...addresses.values()].flat().map((ip) => ({ ip })) },
  }
}

/** Containers by the ports of a slice, which all its Pods share. */
const containers = new WeakMap<readonly EndpointPort[], NonNullable<Pod['spec']>['containers']>()

function containersWith(ports: readonly EndpointPort[]) {
  const known = containers.get(ports)
  if (known !== undefined) return known
  const made = [
    {
      name: 'app',
      ports: ports.map(({ name = '', port = 0, protocol = 'TCP' }) => ({
        name: targetName(name),
        containerPort: port,
        protocol,
      })),
    },
  ]
  containers.set(ports, made)
  return made
}
