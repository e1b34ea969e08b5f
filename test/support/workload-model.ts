import type { Pod, Service, ServicePort } from '../../shared/endpointslice/index.ts'
import type { Random } from './random.ts'
import { makePod, makeService, SELECTOR_ANNOTATION, type SelectionMode } from './world/index.ts'

/** Facts about a Service by which the workload can write it again and change it. */
export interface ModelService {
  readonly namespace: string
  readonly name: string
  /** The Service of the same namespace whose pods it selects at times. */
  readonly neighbour: string
  /**
   * Way in which it names its pods: as the in-tree controller reads it (`replace`), or by the annotation
   * (`custom`).
   */
  readonly mode: SelectionMode
  readonly spec: Partial<NonNullable<Service['spec']>>
  selection: Selection
  ports: number
  label: number
  exists: boolean
}

/**
 * Its own pods, only those of track stable, or those of a neighbour, too (annotation) or instead (selector).
 */
type Selection = 'own' | 'stable' | 'neighbour'
export const SELECTIONS: readonly Selection[] = ['own', 'stable', 'neighbour']

export interface ModelPod {
  readonly namespace: string
  readonly name: string
  readonly node: string
  readonly addresses: readonly string[]
  readonly containerPorts: Readonly<Record<string, number>>
  app: string
  track: 'stable' | 'canary'
  ready: boolean
  terminating: boolean
  failed: boolean
}

export interface ModelNode {
  readonly name: string
  zone: string
  exists: boolean
}

/** Objects that are to be in the cluster once every change that was drawn has been made. */
export interface WorkloadModel {
  readonly seed: number
  readonly namespaces: readonly string[]
  readonly services: readonly ModelService[]
  readonly nodes: readonly ModelNode[]
  readonly pods: Set<ModelPod>
  /** Pods ever drawn: gives each a name and addresses of its own. */
  podsDrawn: number
}

interface ModelOptions {
  readonly seed: number
  readonly services: number
  readonly podsPerService: number
  readonly mode: SelectionMode
  /** True to give every second Service a plain selector in custom mode, for the in-tree controller beside. */
  readonly besideInTree: boolean
}

export const ZONES = ['zone-a', 'zone-b', 'zone-c']
const NAMESPACES = 4
/** An API server goes through all Pods of a namespace for each list of some of them. */
const MAX_SERVICES_PER_NAMESPACE = 100
const NODES = 12

/** One variant a Service in turn: the shapes that endpoints depend on. */
const VARIANTS: readonly ModelService['spec'][] = [
  {},
  { clusterIP: 'None' },
  { ipFamilyPolicy: 'RequireDualStack' },
  { publishNotReadyAddresses: true },
  { ipFamilies: ['IPv6'] },
]

/**
 * The port lists that a Service goes through; not every pod has a `metrics` port, so some give several port
 * sets.
 */
const PORT_LISTS: readonly (readonly ServicePort[])[] = [
  [{ name: 'http', port: 80, targetPort: 'http' }],
  [{ name: 'http', port: 80, targetPort: 8080 }],
  [
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'metrics', port: 9090, targetPort: 'metrics' },
  ],
  [{ name: 'web', port: 8000, targetPort: 'http', appProtocol: 'kubernetes.io/h2c' }],
]
export const PORT_LIST_COUNT = PORT_LISTS.length

export function createModel(options: ModelOptions, random: Random): WorkloadModel {
  const { seed, mode, besideInTree } = options
  const namespaces = Array.from(
    {
      length: Math.max(
        Math.min(NAMESPACES, options.services),
        Math.ceil(options.services / MAX_SERVICES_PER_NAMESPACE),
      ),
    },
    (_, index) => `load-${seed}-${index}`,
  )
  const nameOf = (index: number): string => `svc-${index}`
  const services = Array.from({ length: options.services }, (_, index): ModelService => {
    const neighbour = index + namespaces.length
    return makeModelService({
      namespace: namespaces[index % namespaces.length] ?? '',
      name: nameOf(index),
      neighbour: nameOf(neighbour < options.services ? neighbour : index % namespaces.length),
      mode: besideInTree && Math.floor(index / namespaces.length) % 2 === 1 ? 'replace' : mode,
      spec: VARIANTS[index % VARIANTS.length] ?? {},
      ports: index % PORT_LIST_COUNT,
    })
  })
  const nodes = Array.from(
    { length: NODES },
    (_, index): ModelNode => ({
      name: `load-${seed}-node-${index}`,
      zone: ZONES[index % ZONES.length] ?? '',
      exists: true,
    }),
  )
  const model: WorkloadModel = { seed, namespaces, services, nodes, pods: new Set(), podsDrawn: 0 }
  for (const service of services) {
    for (let index = 0; index < options.podsPerService; index++) drawPod(model, service, random)
  }
  return model
}

type NewService = Pick<ModelService, 'namespace' | 'name' | 'neighbour' | 'mode' | 'spec'>

export const makeModelService = (service: NewService & { ports?: number }): ModelService => ({
  selection: 'own',
  ports: 0,
  label: 0,
  exists: true,
  ...service,
})

/** Draws a new pod for this Service and adds it to the model. */
export function drawPod(
  model: WorkloadModel,
  { namespace, name }: Pick<ModelService, 'namespace' | 'name'>,
  random: Random,
): ModelPod {
  const number = ++model.podsDrawn
  const ipv4 = `10.${128 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
  const ipv6 = `fd00:20::${1 + (number >> 16)}:${(number & 0xffff).toString(16)}`
  const pod: ModelPod = {
    namespace,
    name: `${name}-${number}`,
    node: random.pick(model.nodes)?.name ?? '',
    addresses: random.chance(0.1) ? [ipv4] : [ipv4, ipv6],
    containerPorts: { http: random.chance(0.1) ? 8888 : 8080, ...(random.chance(0.5) && { metrics: 9090 }) },
    app: name,
    track: random.chance(0.7) ? 'stable' : 'canary',
    ready: random.chance(0.9),
    terminating: false,
    failed: false,
  }
  model.pods.add(pod)
  return pod
}

export const podObject = (pod: ModelPod): Pod =>
  makePod({
    namespace: pod.namespace,
    name: pod.name,
    labels: { app: pod.app, track: pod.track },
    nodeName: pod.node,
    ports: pod.containerPorts,
  })

export function serviceObject(service: ModelService): Service {
  const { namespace, name, mode, spec } = service
  return makeService({
    namespace,
    name,
    labels: serviceLabels(service),
    ports: portsOf(service),
    ...(mode === 'custom'
      ? { selector: null, annotations: { [SELECTOR_ANNOTATION]: annotationOf(service) } }
      : { selector: selectorOf(service) }),
    spec,
  })
}

export const serviceLabels = ({ label }: ModelService): Record<string, string> => ({
  'example.org/revision': String(label),
})

export const portsOf = ({ ports }: ModelService): readonly ServicePort[] => PORT_LISTS[ports] ?? []

function selectorOf({ name, neighbour, selection }: ModelService): Record<string, string> {
  if (selection === 'stable') return { app: name, track: 'stable' }
  return { app: selection === 'neighbour' ? neighbour : name }
}

function annotationOf({ name, neighbour, selection }: ModelService): string {
  if (selection === 'stable') return `app=${name},track!=canary`
  return selection === 'neighbour' ? `app in (${name}, ${neighbour})` : `app=${name}`
}

/** Makes the merge patch of a selection. It takes labels away by name that are no longer selected by. */
export const selectionPatch = (service: ModelService): unknown =>
  service.mode === 'custom'
    ? { metadata: { annotations: { [SELECTOR_ANNOTATION]: annotationOf(service) } } }
    : { spec: { selector: { track: null, ...selectorOf(service) } } }
