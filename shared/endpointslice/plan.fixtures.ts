import type { Endpoint, EndpointSlice, Node, Pod, Service, SlicePlan } from './index.ts'
import { copyJson } from './objects/copy.ts'
import { LABEL_ZONE } from './well-known.ts'

/** Objects for tests of plans: a Service `shop/web` with one port, and what stands around it. */

type ServiceSpec = NonNullable<Service['spec']>

export const NAMESPACE = 'shop'
export const SERVICE_UID = 'uid-web'
export const HTTP = { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }

export function aService(
  spec: Partial<ServiceSpec> = {},
  metadata: Partial<NonNullable<Service['metadata']>> = {},
): Service {
  return {
    metadata: { name: 'web', namespace: NAMESPACE, uid: SERVICE_UID, ...metadata },
    spec: { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'], ports: [HTTP], ...spec },
  }
}

export interface PodInput {
  readonly ips?: readonly string[]
  readonly ready?: boolean
  readonly terminating?: boolean
  readonly phase?: string
  readonly node?: string
  readonly uid?: string
  readonly spec?: Partial<NonNullable<Pod['spec']>>
}

export function aPod(name: string, input: PodInput = {}): Pod {
  const { ips = ['10.0.0.1'], ready = true, terminating = false, phase = 'Running', node = 'node-a' } = input
  return {
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: input.uid ?? `uid-${name}`,
      ...(terminating && { deletionTimestamp: '2026-03-01T12:00:00Z' }),
    },
    spec: { nodeName: node, containers: [{ name: 'app' }], ...input.spec },
    status: {
      phase,
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  }
}

/** Makes pods `p-000`, `p-001`, … with the addresses 10.0.0.0, 10.0.0.1, … */
export const podsNumbered = (count: number, first = 0, input: PodInput = {}): Pod[] =>
  Array.from({ length: count }, (_, index) => {
    const number = first + index
    const ips = [`10.0.${Math.floor(number / 256)}.${number % 256}`]
    return aPod(`p-${String(number).padStart(3, '0')}`, { ips, ...input })
  })

export function aNode(name: string, zone = 'zone-a', cpu = '4'): Node {
  return {
    metadata: { name, labels: { [LABEL_ZONE]: zone } },
    status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

export const NODES: readonly Node[] = [aNode('node-a', 'zone-a'), aNode('node-b', 'zone-b')]

/** Returns the slices after a plan, as an API server would keep them. */
export function applied(
  slices: readonly EndpointSlice[],
  plan: Pick<SlicePlan, 'create' | 'update' | 'delete'> & Partial<Pick<SlicePlan, 'stats'>>,
): EndpointSlice[] {
  const gone = new Set(plan.delete.map(nameOf))
  const updates = new Map(plan.update.map((slice) => [nameOf(slice), slice]))
  const stay = slices
    .filter((slice) => !gone.has(nameOf(slice)))
    .map((slice) => updates.get(nameOf(slice)) ?? slice)
  return [...stay, ...plan.create]
    .map((slice) => stored(slice))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

function stored(slice: EndpointSlice): EndpointSlice {
  const uid = slice.metadata?.uid ?? `uid-${nameOf(slice)}`
  const resourceVersion = String(Number(slice.metadata?.resourceVersion ?? '0') + 1)
  return copyJson({ ...slice, metadata: { ...slice.metadata, uid, resourceVersion } })
}

export const nameOf = (slice: EndpointSlice): string => slice.metadata?.name ?? ''

export const endpointsOf = (slices: readonly EndpointSlice[]): Endpoint[] =>
  slices.flatMap(({ endpoints }) => endpoints ?? [])

export const podNames = (slices: readonly EndpointSlice[]): string[] =>
  endpointsOf(slices)
    .map(({ targetRef }) => targetRef?.name ?? '')
    .sort()

export const sizes = (slices: readonly EndpointSlice[]): number[] =>
  slices.map(({ endpoints }) => endpoints?.length ?? 0).sort((a, b) => b - a)

export const writes = ({ create, update, delete: removed }: SlicePlan): [number, number, number] => [
  create.length,
  update.length,
  removed.length,
]

/** Freezes the whole object, so that a write to any part of it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part)
    Object.freeze(value)
  }
  return value
}
