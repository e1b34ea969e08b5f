import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
} from '../../shared/changes/index.ts'
import { LABEL_ZONE, type Pod, type Service } from '../../shared/endpointslice/index.ts'
import { NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import { makeNode, SELECTOR_ANNOTATION } from '../support/world/index.ts'
import {
  addressesOf,
  drawAddresses,
  drawPod,
  drawPodLabels,
  drawPorts,
  drawSelection,
  drawService,
  freePods,
  freeServices,
  hasEnded,
  isTerminating,
  NODE_NAMES,
  type Place,
  placeOf,
  textOf,
  ZONES,
} from './objects.ts'
import { type Occasion, type Operation, onObject, operation } from './operation.ts'
import { isPaused } from './oracle.ts'

const services = ({ view }: Occasion): readonly Service[] => view.services
const livePods = ({ view }: Occasion): readonly Pod[] =>
  view.pods.filter((pod) => !isTerminating(pod) && !hasEnded(pod))

const everyPod = ({ view }: Occasion): readonly Pod[] => view.pods
const running = ({ view }: Occasion): readonly Pod[] => view.pods.filter((pod) => !hasEnded(pod))

/** Makes an operation that patches a Service. */
const patching = (
  name: string,
  weight: number,
  patch: (service: Service, occasion: Occasion) => object,
  targets: (occasion: Occasion) => readonly Service[] = services,
): Operation =>
  onObject(name, weight, targets, async (place, occasion, service) => {
    const patched = patch(service, occasion)
    await occasion.cluster.client.patch(SERVICES, place, patched)
    return JSON.stringify(patched)
  })

const annotated = (annotations: Readonly<Record<string, string | null>>): object => ({
  metadata: { annotations },
})

/** Makes a patch by which a Service has one family, or two again. */
function otherFamilies({ spec }: Service): object {
  const first = <T>(items: readonly T[] = []): readonly T[] => items.slice(0, 1)
  if (spec?.ipFamilyPolicy === 'SingleStack') return { spec: { ipFamilyPolicy: 'RequireDualStack' } }
  const one = { ipFamilies: first(spec?.ipFamilies), clusterIPs: first(spec?.clusterIPs) }
  return { spec: { ipFamilyPolicy: 'SingleStack', ...one } }
}

/** What a Service says itself, and none of which keeps an endpoint from being published; or nothing. */
const HARMLESS = {
  [ANNOTATION_PACKING]: ['upstream', 'compact', 'tight', null],
  [ANNOTATION_MAXIMUM_REMOVAL]: ['100%', '100000', 'all', null],
} as const

function drawControl({ random }: Occasion): object {
  const [name, values] = random.pick(Object.entries(HARMLESS)) ?? [ANNOTATION_PACKING, []]
  return annotated({ [name]: random.pick<string | null>(values) ?? null })
}

const create = (place: Place, { cluster, world, random }: Occasion): Promise<unknown> =>
  cluster.client.create(SERVICES, drawService(place, world.scene.mode, random))
const remove = (place: Place, { cluster }: Occasion): Promise<unknown> =>
  cluster.client.delete(SERVICES, place)

const SERVICE_OPERATIONS: readonly Operation[] = [
  onObject('service-create', 8, ({ view }) => freeServices(view), create),
  onObject('service-delete', 2, services, remove),
  onObject('service-recreate', 2, services, async (place, occasion) => {
    await remove(place, occasion)
    await create(place, occasion)
  }),
  patching('service-ports', 4, (_, { random }) => ({ spec: { ports: drawPorts(random) } })),
  patching('service-selector', 5, (_, { world, random }) => drawSelection(world.scene.mode, random)),
  patching('service-not-ready-addresses', 2, ({ spec }) => ({
    spec: { publishNotReadyAddresses: spec?.publishNotReadyAddresses !== true },
  })),
  patching('service-families', 2, otherFamilies),
  patching('service-labels', 1, (_, { number }) => ({ metadata: { labels: { revision: `${number}` } } })),
  patching(
    'service-annotation-off',
    2,
    () => annotated({ [SELECTOR_ANNOTATION]: null }),
    ({ view }) =>
      view.services.filter(({ metadata }) => metadata?.annotations?.[SELECTOR_ANNOTATION] !== undefined),
  ),
  patching(
    'service-pause',
    2,
    () => annotated({ [ANNOTATION_PAUSED]: 'true' }),
    // What is imported is computed from the Pods, which paused slices do not follow.
    ({ view, world }) => (world.scene.fleet === true ? [] : view.services.filter((one) => !isPaused(one))),
  ),
  patching(
    'service-unpause',
    6,
    (_, { random }) => annotated({ [ANNOTATION_PAUSED]: random.pick(['false', null]) ?? null }),
    ({ view }) => view.services.filter(isPaused),
  ),
  patching('service-controls', 2, (_, occasion) => drawControl(occasion)),
]

/** Creates a Pod and reports its status. */
async function startPod(pod: Pod, addresses: readonly string[], occasion: Occasion): Promise<string> {
  const ready = occasion.random.chance(0.8)
  const phase = occasion.random.chance(0.9) ? 'Running' : 'Pending'
  await occasion.cluster.pods.start(pod, addresses, { ready: ready && phase === 'Running', phase })
  return `${textOf(placeOf(pod))} ${addresses} on ${pod.spec?.nodeName}`
}

const POD_OPERATIONS: readonly Operation[] = [
  operation({
    name: 'pod-create',
    weight: 16,
    targets: ({ view }) => freePods(view),
    act: (place, occasion) =>
      startPod(drawPod(place, occasion.random), drawAddresses(occasion.number, occasion.random), occasion),
  }),
  operation({
    name: 'pod-of-same-address',
    weight: 2,
    targets: (occasion) => (freePods(occasion.view).length > 0 ? livePods(occasion) : []),
    act(other, occasion) {
      const { random, view } = occasion
      const namespace = placeOf(other).namespace
      const places = freePods(view).filter((place) => place.namespace === namespace)
      const place = random.pick(places) ?? { namespace, name: `p-x${occasion.number}` }
      const pod = drawPod(place, random)
      const labels = random.chance(0.7) ? other.metadata?.labels : pod.metadata?.labels
      return startPod({ ...pod, metadata: { ...pod.metadata, labels } }, addressesOf(other), occasion)
    },
  }),
  onObject('pod-readiness', 16, running, async (place, { cluster }, pod) => {
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
    await cluster.pods.setReady(place, isReady !== true)
    return `ready: ${isReady !== true}`
  }),
  onObject('pod-labels', 6, livePods, async (place, { cluster, random }) => {
    const labels = drawPodLabels(random)
    await cluster.client.patch(PODS, place, { metadata: { labels } })
    return JSON.stringify(labels)
  }),
  onObject('pod-addresses', 3, livePods, async (place, { cluster, random, number }) => {
    const addresses = drawAddresses(number, random)
    await cluster.pods.setStatus(place, addresses, { ready: random.chance(0.8) })
    return addresses.join()
  }),
  onObject('pod-phase', 2, livePods, async (place, { cluster, random }, pod) => {
    const phase = random.pick(['Failed', 'Succeeded', 'Pending'] as const)
    await cluster.pods.setStatus(place, addressesOf(pod), { ready: false, ...(phase && { phase }) })
    return `${phase}`
  }),
  onObject('pod-terminate', 5, livePods, (place, { cluster }) => cluster.pods.terminate(place)),
  onObject('pod-delete', 6, everyPod, (place, { cluster }) => cluster.pods.finish(place)),
  onObject('pod-replace', 4, everyPod, async (place, occasion) => {
    await occasion.cluster.pods.finish(place)
    const addresses = drawAddresses(occasion.number, occasion.random)
    return await startPod(drawPod(place, occasion.random), addresses, occasion)
  }),
]

const NODE_OPERATIONS: readonly Operation[] = [
  operation({
    name: 'node-zone',
    weight: 4,
    targets: ({ view }) => view.nodes,
    async act(node, { cluster, random }) {
      const zone = random.pick([...ZONES, null])
      await cluster.client.patch(NODES, placeOf(node), { metadata: { labels: { [LABEL_ZONE]: zone } } })
      return `${node.metadata?.name} ${zone}`
    },
  }),
  operation({
    name: 'node-delete',
    weight: 1,
    targets: ({ view }) => view.nodes,
    async act(node, { cluster }) {
      await cluster.client.delete(NODES, placeOf(node))
      return `${node.metadata?.name}`
    },
  }),
  operation({
    name: 'node-create',
    weight: 3,
    targets: ({ view }) =>
      NODE_NAMES.filter((name) => view.nodes.every(({ metadata }) => metadata?.name !== name)),
    async act(name, { cluster, random }) {
      const zone = random.pick(ZONES) ?? null
      await cluster.client.create(NODES, makeNode({ name, zone }))
      return `${name} ${zone}`
    },
  }),
]

/** Operations on Services, Pods and Nodes. */
export const OBJECT_OPERATIONS: readonly Operation[] = [
  ...SERVICE_OPERATIONS,
  ...POD_OPERATIONS,
  ...NODE_OPERATIONS,
]
