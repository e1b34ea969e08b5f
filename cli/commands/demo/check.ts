import type { Endpoint, EndpointSlice, Node, Pod, Service } from '../../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../shared/kubernetes/index.ts'
import { NAMESPACE, ZONE_LABEL } from './objects.ts'

const SELECTOR = 'sliceflow.dev/selector'
const SERVICE_NAME = 'kubernetes.io/service-name'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'

interface Rules {
  readonly managedBy: string
  readonly maxEndpointsPerSlice: number
}

/**
 * Compares the slices of the demo with what they must be, computed plainly from its objects: it uses nothing
 * of what plans them. @returns a line a difference; none when everything is right
 */
export async function findDifferences(client: ApiClient, rules: Rules): Promise<string[]> {
  const within = { namespace: NAMESPACE }
  const { items: slices } = await client.list(ENDPOINT_SLICES, within)
  const { items: services } = await client.list(SERVICES, within)
  const { items: pods } = await client.list(PODS, within)
  const { items: nodes } = await client.list(NODES)
  return differencesOf({ slices, services, pods, nodes }, rules)
}

interface Objects {
  readonly slices: readonly EndpointSlice[]
  readonly services: readonly Service[]
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
}

export function differencesOf({ slices, services, ...objects }: Objects, rules: Rules): string[] {
  const expected = services.flatMap((service) => expectedTexts(service, objects))
  const actual = slices
    .filter(({ metadata }) => metadata?.labels?.[MANAGED_BY] === rules.managedBy)
    .flatMap((slice) => (slice.endpoints ?? []).map((endpoint) => endpointText(slice, endpoint)))
  const large = slices.filter(({ endpoints = [] }) => (endpoints?.length ?? 0) > rules.maxEndpointsPerSlice)
  return [
    ...[...new Set(expected)].filter((text) => !actual.includes(text)).map((text) => `${text} is missing`),
    ...actual.filter((text) => !expected.includes(text)).map((text) => `${text} should not be there`),
    ...actual.filter((text, index) => actual.indexOf(text) < index).map((text) => `${text} is there twice`),
    ...large.map(({ metadata }) => `slice ${metadata?.name} is too large`),
  ]
}

/** Expects each Pod that has an address and a Node that exists; selectors of the demo are one label each. */
function expectedTexts({ metadata }: Service, { pods, nodes }: Pick<Objects, 'pods' | 'nodes'>): string[] {
  const [key = '', value] = (metadata?.annotations?.[SELECTOR] ?? '').split('=')
  return pods.flatMap(({ metadata: pod, spec, status }) => {
    const node = nodes.find((each) => each.metadata?.name === spec?.nodeName)
    if (pod?.labels?.[key] !== value || status?.podIP === undefined || node === undefined) return []
    const isReady = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True')
    return textOf({
      ...{ service: metadata?.name, address: status.podIP, pod: pod?.name },
      ...{ zone: node.metadata?.labels?.[ZONE_LABEL], ready: isReady && !pod?.deletionTimestamp },
    })
  })
}

const endpointText = ({ metadata }: EndpointSlice, endpoint: Endpoint): string =>
  textOf({
    service: metadata?.labels?.[SERVICE_NAME],
    address: endpoint.addresses.join(),
    pod: endpoint.targetRef?.name,
    zone: endpoint.zone,
    ready: endpoint.conditions?.ready,
  })

const textOf = (parts: Readonly<Record<string, unknown>>): string =>
  Object.entries(parts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
