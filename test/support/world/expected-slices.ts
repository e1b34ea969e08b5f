/**
 * Endpoints that a Service must have, computed plainly from the rules of the in-tree controller. It uses
 * nothing of the library that is tested: no packing, no diffs, no reuse of slices.
 */
import { isIPv4, isIPv6 } from 'node:net'
import {
  type EndpointConditions,
  LABEL_HEADLESS,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
  type ServicePort,
} from '../../../shared/endpointslice/index.ts'
import { expectedSelection, type SelectionMode } from './expected-selection.ts'

export type AddressType = 'IPv4' | 'IPv6'

export interface ExpectedEndpoint {
  readonly addresses: readonly string[]
  readonly conditions: Required<EndpointConditions>
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly nodeName: string | undefined
  readonly zone: string | undefined
  readonly hostname: string | undefined
  /** Sorted texts such as `http:8080/TCP`. */
  readonly ports: readonly string[]
}

export interface ExpectedSlices {
  /** Every label that each slice must have, and no others. */
  readonly labels: Readonly<Record<string, string>>
  /** Only these address types may have slices, and each must have one at least. */
  readonly endpoints: ReadonlyMap<AddressType, readonly ExpectedEndpoint[]>
}

export interface ClusterState {
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
}

/** How slices name the object that they belong to. */
export interface ExpectedOwner {
  readonly apiVersion: string
  readonly kind: string
  readonly nameLabel: string
  /** Whether an address type without endpoints has an empty slice. */
  readonly hasPlaceholder: boolean
}

export const OF_SERVICES: ExpectedOwner = {
  apiVersion: 'v1',
  kind: 'Service',
  nameLabel: LABEL_SERVICE_NAME,
  hasPlaceholder: true,
}

interface ExpectedOptions {
  readonly mode: SelectionMode
  readonly managedBy: string
  /** Default: a Service. */
  readonly owner?: ExpectedOwner
}

/** @returns undefined when this controller, in this mode, has nothing to do with the Service */
export function expectedSlices(
  service: Service,
  { pods, nodes }: ClusterState,
  { mode, managedBy, owner = OF_SERVICES }: ExpectedOptions,
): ExpectedSlices | undefined {
  const isSelected = expectedSelection(service, mode)
  if (isSelected === undefined) return undefined
  const nodesByName = new Map(nodes.map((node) => [node.metadata?.name, node]))
  const published = pods.filter(
    (pod) => isSelected(pod) && hasAddress(pod) && !hasEnded(pod) && isOnKnownNode(pod, service, nodesByName),
  )
  const endpoints = new Map<AddressType, ExpectedEndpoint[]>()
  for (const type of addressTypesOf(service)) {
    const ofType: ExpectedEndpoint[] = []
    for (const pod of published) {
      const addresses = addressesOf(pod, type)
      if (addresses.length > 0) ofType.push(endpointOf(service, pod, addresses, nodesByName))
    }
    endpoints.set(type, ofType)
  }
  return { labels: labelsOf(service, managedBy, owner), endpoints }
}

const hasEnded = (pod: Pod): boolean => pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'

const podAddresses = (pod: Pod): string[] => {
  const list = pod.status?.podIPs?.map(({ ip }) => ip) ?? []
  return list.length === 0 && pod.status?.podIP ? [pod.status.podIP] : list
}

const hasAddress = (pod: Pod): boolean => podAddresses(pod).length > 0

/**
 * Reports whether the pod's node exists. A pod whose node is gone is not published, unless everything is to
 * be published.
 */
const isOnKnownNode = (pod: Pod, service: Service, nodes: ReadonlyMap<string | undefined, Node>): boolean =>
  !pod.spec?.nodeName || nodes.has(pod.spec.nodeName) || service.spec?.publishNotReadyAddresses === true

function addressTypesOf({ spec }: Service): AddressType[] {
  const families = spec?.ipFamilies ?? []
  if (families.length > 0) return families as AddressType[]
  if (!spec?.clusterIP || spec.clusterIP === 'None') return ['IPv4', 'IPv6']
  return [isIPv6(spec.clusterIP) ? 'IPv6' : 'IPv4']
}

function addressesOf(pod: Pod, type: AddressType): string[] {
  const isOfType = type === 'IPv4' ? isIPv4 : isIPv6
  return podAddresses(pod)
    .filter(isOfType)
    .map((ip) => (type === 'IPv4' ? ip : canonicalIPv6(ip)))
}

/** Writes an IPv6 address as RFC 5952 asks, which the URL parser does. */
const canonicalIPv6 = (ip: string): string => new URL(`http://[${ip}]`).hostname.slice(1, -1)

function endpointOf(
  service: Service,
  pod: Pod,
  addresses: readonly string[],
  nodes: ReadonlyMap<string | undefined, Node>,
): ExpectedEndpoint {
  const { namespace = '', name = '', uid = '' } = pod.metadata ?? {}
  const serving = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
  const terminating = pod.metadata?.deletionTimestamp !== undefined
  const inSubdomain = pod.spec?.subdomain === service.metadata?.name
  return {
    addresses,
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving === true && !terminating),
      serving: serving === true,
      terminating,
    },
    pod: { namespace, name, uid },
    nodeName: pod.spec?.nodeName || undefined,
    zone: nodes.get(pod.spec?.nodeName)?.metadata?.labels?.[LABEL_ZONE] || undefined,
    hostname: (inSubdomain && pod.spec?.hostname) || undefined,
    ports: (service.spec?.ports ?? []).flatMap((port) => portTexts(port, pod)).toSorted(),
  }
}

/** Lists the texts of a port; none if the pod has no container port of that name. */
function portTexts(port: ServicePort, pod: Pod): string[] {
  const protocol = port.protocol ?? 'TCP'
  const target = (port.targetPort ?? port.port) as number | string
  const number = typeof target === 'number' ? target : namedPort(pod, target, protocol)
  if (number === undefined) return []
  return [portText({ name: port.name, port: number, protocol, appProtocol: port.appProtocol })]
}

function namedPort(pod: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...(pod.spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort
}

export const portText = (port: {
  readonly name?: string
  readonly port?: number
  readonly protocol?: string
  readonly appProtocol?: string
}): string =>
  `${port.name ?? ''}:${port.port}/${port.protocol ?? 'TCP'}${port.appProtocol ? ` ${port.appProtocol}` : ''}`

function labelsOf(service: Service, managedBy: string, { nameLabel }: ExpectedOwner): Record<string, string> {
  const { name = '', labels = {} } = service.metadata ?? {}
  const { [LABEL_HEADLESS]: _headless, ...own } = labels
  const isHeadless = !service.spec?.clusterIP || service.spec.clusterIP === 'None'
  return {
    ...own,
    [nameLabel]: name,
    [LABEL_MANAGED_BY]: managedBy,
    ...(isHeadless && { [LABEL_HEADLESS]: '' }),
  }
}
