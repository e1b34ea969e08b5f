import type {
  EndpointSelector,
  EndpointSlice,
  Node,
  Pod,
  Service,
  ServicePort,
} from '../../shared/endpointslice/index.ts'
import { LABEL_IMPORT_NAME, serviceExports } from '../../shared/fleet/index.ts'
import { type ApiClient, ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import type { Random } from '../support/random.ts'
import type { SliceSnapshot } from '../support/world/index.ts'
import {
  makePod,
  makeService,
  readObjects,
  readSlices,
  SELECTOR_ANNOTATION,
  type SelectionMode,
} from '../support/world/index.ts'

export type Foreign = SliceSnapshot

/** Objects of a cluster at a moment, as its API server lists them. */
export interface View {
  readonly services: readonly Service[]
  /** Derived Services of imports. */
  readonly derived: readonly Service[]
  readonly selectors: readonly EndpointSelector[]
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
  readonly slices: readonly EndpointSlice[]
}

export const EXPORTS = serviceExports('v1beta1')
export const MANAGED_BY = 'sliceflow.dev'
export const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const
export const NODE_NAMES = ['node-1', 'node-2', 'node-3', 'node-4'] as const
export const NAMESPACES_OF_HISTORY = ['h-1', 'h-2'] as const
export const APPS = ['a', 'b', 'c'] as const
export const TRACKS = ['stable', 'canary'] as const
export const SERVICE_NAMES = ['s-1', 's-2', 's-3', 's-4', 's-5', 's-6'] as const
const POD_NAMES = Array.from({ length: 16 }, (_, index) => `p-${index + 1}`)

export async function readView(client: ApiClient): Promise<View> {
  const [objects, slices, selectors] = await Promise.all([
    readObjects(client, NAMESPACES_OF_HISTORY),
    readSlices(client, NAMESPACES_OF_HISTORY),
    readSelectors(client),
  ])
  const derived = objects.services.filter(isDerived)
  return {
    ...objects,
    services: objects.services.filter((service) => !isDerived(service)),
    derived,
    slices,
    selectors,
  }
}

/** Reads the EndpointSelectors of all namespaces of a history. */
export async function readSelectors(client: ApiClient): Promise<readonly EndpointSelector[]> {
  const lists = NAMESPACES_OF_HISTORY.map((namespace) => client.list(ENDPOINT_SELECTORS, { namespace }))
  return (await Promise.all(lists)).flatMap(({ items }) => items)
}

const isDerived = ({ metadata }: Service): boolean => metadata?.labels?.[LABEL_IMPORT_NAME] !== undefined

/** A name in a namespace. */
export interface Place {
  readonly namespace: string
  readonly name: string
}

export const placeOf = ({ metadata }: { readonly metadata?: Partial<Place> | undefined }): Place => ({
  namespace: metadata?.namespace ?? '',
  name: metadata?.name ?? '',
})
export const textOf = ({ namespace, name }: Place): string => `${namespace}/${name}`

/** Places that Services and EndpointSelectors of a history can have. */
export const PLACES: readonly Place[] = NAMESPACES_OF_HISTORY.flatMap((namespace) =>
  SERVICE_NAMES.map((name) => ({ namespace, name })),
)

/** Lists the names that none of these objects has. */
export const free = (
  names: readonly string[],
  taken: readonly { readonly metadata?: Partial<Place> | undefined }[],
): Place[] => {
  const used = new Set(taken.map((object) => textOf(placeOf(object))))
  return NAMESPACES_OF_HISTORY.flatMap((namespace) => names.map((name) => ({ namespace, name }))).filter(
    (place) => !used.has(textOf(place)),
  )
}

/** Names that no Service has. */
export const freeServices = ({ services }: View): Place[] => free(SERVICE_NAMES, services)
/** Names that no Pod has. */
export const freePods = ({ pods }: View): Place[] => free(POD_NAMES, pods)

const PORT_LISTS: readonly (readonly ServicePort[])[] = [
  [{ name: 'http', port: 80, targetPort: 'http' }],
  [{ name: 'http', port: 80, targetPort: 8080 }],
  [
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'metrics', port: 9090, targetPort: 'metrics' },
  ],
  [{ name: 'web', port: 8000, targetPort: 'http', appProtocol: 'kubernetes.io/h2c' }],
  [{ name: 'http', port: 8080, targetPort: 'http' }],
  [{ name: 'alt', port: 80, targetPort: 8080 }],
  [{ name: 'dns', port: 53, protocol: 'UDP', targetPort: 5353 }],
]
export const drawPorts = (random: Random): readonly ServicePort[] => random.pick(PORT_LISTS) ?? []

const FAMILIES: readonly Partial<NonNullable<Service['spec']>>[] = [
  {},
  { ipFamilyPolicy: 'RequireDualStack' },
  { ipFamilies: ['IPv6'] },
  { clusterIP: 'None' },
]

/** Draws labels to select by. */
function drawLabels(random: Random): Readonly<Record<string, string>> {
  const app = random.pick(APPS) ?? 'a'
  return random.chance(0.3) ? { app, track: random.pick(TRACKS) ?? 'stable' } : { app }
}

/** Draws a selector of the annotation. */
function drawSelectorText(random: Random): string {
  const [first, second] = random.shuffled(APPS)
  return (
    random.pick([
      `app=${first}`,
      `app in (${first}, ${second})`,
      `app=${first},track!=canary`,
      `app!=${first}`,
    ]) ?? ''
  )
}

/** Makes a patch by which the Service selects other Pods. */
export const drawSelection = (mode: SelectionMode, random: Random): object =>
  mode === 'custom'
    ? { metadata: { annotations: { [SELECTOR_ANNOTATION]: drawSelectorText(random) } } }
    : { spec: { selector: { track: null, ...drawLabels(random) } } }

export function drawService(place: Place, mode: SelectionMode, random: Random): Service {
  const selection =
    mode === 'custom'
      ? { selector: null, annotations: { [SELECTOR_ANNOTATION]: drawSelectorText(random) } }
      : { selector: drawLabels(random) }
  const spec = { ...random.pick(FAMILIES), ...(random.chance(0.2) && { publishNotReadyAddresses: true }) }
  return makeService({ ...place, ...selection, ports: drawPorts(random), spec })
}

/** Draws labels of a Pod; a Pod of a third track is selected by its app alone. */
export const drawPodLabels = (random: Random): Record<string, string> => ({
  app: random.pick(APPS) ?? 'a',
  track: random.pick([...TRACKS, 'none']) ?? 'none',
})

export const drawPod = (place: Place, random: Random): Pod =>
  makePod({
    ...place,
    labels: drawPodLabels(random),
    nodeName: random.pick(NODE_NAMES) ?? null,
    ports: { http: random.chance(0.2) ? 8888 : 8080, ...(random.chance(0.5) && { metrics: 9090 }) },
  })

/** Draws addresses of a Pod, of which a setting may refuse some. Each number is an address of its own. */
export function drawAddresses(number: number, random: Random): string[] {
  const block = random.below(4)
  const ipv4 = `10.1.${block}.${(number % 250) + 1}`
  const ipv6 = `fd00:1::${block}:${((number % 250) + 1).toString(16)}`
  return random.pick([[ipv4], [ipv4, ipv6], [ipv4, ipv6], [ipv6, ipv4], [ipv6]]) ?? [ipv4]
}

export const isTerminating = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined
export const hasEnded = ({ status }: Pod): boolean =>
  status?.phase === 'Failed' || status?.phase === 'Succeeded'
export const addressesOf = ({ status }: Pod): string[] => (status?.podIPs ?? []).map(({ ip }) => ip)
