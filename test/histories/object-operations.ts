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
  placeOf,
  textOf,
  ZONES,
} from './objects.ts'
import { type Occasion, type Operation, operation } from './operation.ts'
import { isPaused } from './oracle.ts'

const services = ({ view }: Occasion): readonly Service[] => view.services
const livePods = ({ view }: Occasion): readonly Pod[] =>
  view.pods.filter((pod) => !isTerminating(pod) && !hasEnded(pod))

async function patchService(service: Service, patch: object, { cluster }: Occasion): Promise<string> {
  const place = placeOf(service)
  await cluster.client.patch(SERVICES, place, patch)
  return `${textOf(place)} ${JSON.stringify(patch)}`
}

const SERVICE_OPERATIONS: readonly Operation[] = [
  operation({
    name: 'service-create',
    weight: 8,
    targets: ({ view }) => freeServices(view),
    async act(place, { cluster, world, random }) {
      await cluster.client.create(SERVICES, drawService(place, world.scene.mode, random))
      return textOf(place)
    },
  }),
  operation({
    name: 'service-delete',
    weight: 2,
    targets: services,
    async act(service, { cluster }) {
      await cluster.client.delete(SERVICES, placeOf(service))
      return textOf(placeOf(service))
    },
  }),
  operation({
    name: 'service-recreate',
    weight: 2,
    targets: services,
    async act(service, { cluster, world, random }) {
      const place = placeOf(service)
      await cluster.client.delete(SERVICES, place)
      await cluster.client.create(SERVICES, drawService(place, world.scene.mode, random))
      return textOf(place)
    },
  }),
  operation({
    name: 'service-ports',
    weight: 4,
    targets: services,
    act: (service, occasion) =>
      patchService(service, { spec: { ports: drawPorts(occasion.random) } }, occasion),
  }),
  operation({
    name: 'service-selector',
    weight: 5,
    targets: services,
    act: (service, occasion) =>
      patchService(service, drawSelection(occasion.world.scene.mode, occasion.random), occasion),
  }),
  operation({
    name: 'service-not-ready-addresses',
    weight: 2,
    targets: services,
    act: (service, occasion) =>
      patchService(
        service,
        { spec: { publishNotReadyAddresses: service.spec?.publishNotReadyAddresses !== true } },
        occasion,
      ),
  }),
  operation({
    name: 'service-families',
    weight: 2,
    targets: services,
    act({ spec, ...service }, occasion) {
      const first = <T>(items: readonly T[] = []): readonly T[] => items.slice(0, 1)
      const patch =
        spec?.ipFamilyPolicy === 'SingleStack'
          ? { ipFamilyPolicy: 'RequireDualStack' }
          : {
              ipFamilyPolicy: 'SingleStack',
              ipFamilies: first(spec?.ipFamilies),
              clusterIPs: first(spec?.clusterIPs),
            }
      return patchService(service, { spec: patch }, occasion)
    },
  }),
  operation({
    name: 'service-labels',
    weight: 1,
    targets: services,
    act: (service, occasion) =>
      patchService(service, { metadata: { labels: { revision: `${occasion.number}` } } }, occasion),
  }),
  operation({
    name: 'service-annotation-off',
    weight: 2,
    targets: ({ view }) =>
      view.services.filter(({ metadata }) => metadata?.annotations?.[SELECTOR_ANNOTATION] !== undefined),
    act: (service, occasion) =>
      patchService(service, { metadata: { annotations: { [SELECTOR_ANNOTATION]: null } } }, occasion),
  }),
]

const annotateService = (
  service: Service,
  annotations: Readonly<Record<string, string | null>>,
  occasion: Occasion,
): Promise<string> => patchService(service, { metadata: { annotations } }, occasion)

/** What a Service says itself, and none of which keeps an endpoint from being published; or nothing. */
const HARMLESS = {
  [ANNOTATION_PACKING]: ['upstream', 'compact', 'tight', null],
  [ANNOTATION_MAXIMUM_REMOVAL]: ['100%', '100000', 'all', null],
} as const

const CONTROL_OPERATIONS: readonly Operation[] = [
  operation({
    name: 'service-pause',
    weight: 2,
    // What is imported is computed from the Pods, which paused slices do not follow.
    targets: ({ view, world }) =>
      world.scene.fleet === true ? [] : view.services.filter((one) => !isPaused(one)),
    act: (service, occasion) => annotateService(service, { [ANNOTATION_PAUSED]: 'true' }, occasion),
  }),
  operation({
    name: 'service-unpause',
    weight: 6,
    targets: ({ view }) => view.services.filter(isPaused),
    act: (service, occasion) =>
      annotateService(
        service,
        { [ANNOTATION_PAUSED]: occasion.random.pick(['false', null]) ?? null },
        occasion,
      ),
  }),
  operation({
    name: 'service-controls',
    weight: 2,
    targets: services,
    act(service, occasion) {
      const { random } = occasion
      const [name, values] = random.pick(Object.entries(HARMLESS)) ?? [ANNOTATION_PACKING, []]
      return annotateService(service, { [name]: random.pick<string | null>(values) ?? null }, occasion)
    },
  }),
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
  operation({
    name: 'pod-readiness',
    weight: 16,
    targets: ({ view }) => view.pods.filter((pod) => !hasEnded(pod)),
    async act(pod, { cluster }) {
      const isReady = pod.status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      )
      await cluster.pods.setReady(placeOf(pod), isReady !== true)
      return `${textOf(placeOf(pod))} ready: ${isReady !== true}`
    },
  }),
  operation({
    name: 'pod-labels',
    weight: 6,
    targets: livePods,
    async act(pod, { cluster, random }) {
      const labels = drawPodLabels(random)
      await cluster.client.patch(PODS, placeOf(pod), { metadata: { labels } })
      return `${textOf(placeOf(pod))} ${JSON.stringify(labels)}`
    },
  }),
  operation({
    name: 'pod-addresses',
    weight: 3,
    targets: livePods,
    async act(pod, { cluster, random, number }) {
      const addresses = drawAddresses(number, random)
      await cluster.pods.setStatus(placeOf(pod), addresses, { ready: random.chance(0.8) })
      return `${textOf(placeOf(pod))} ${addresses}`
    },
  }),
  operation({
    name: 'pod-phase',
    weight: 2,
    targets: livePods,
    async act(pod, { cluster, random }) {
      const phase = random.pick(['Failed', 'Succeeded', 'Pending'] as const)
      await cluster.pods.setStatus(placeOf(pod), addressesOf(pod), { ready: false, ...(phase && { phase }) })
      return `${textOf(placeOf(pod))} ${phase}`
    },
  }),
  operation({
    name: 'pod-terminate',
    weight: 5,
    targets: livePods,
    async act(pod, { cluster }) {
      await cluster.pods.terminate(placeOf(pod))
      return textOf(placeOf(pod))
    },
  }),
  operation({
    name: 'pod-delete',
    weight: 6,
    targets: ({ view }) => view.pods,
    async act(pod, { cluster }) {
      await cluster.pods.finish(placeOf(pod))
      return textOf(placeOf(pod))
    },
  }),
  operation({
    name: 'pod-replace',
    weight: 4,
    targets: ({ view }) => view.pods,
    async act(pod, occasion) {
      const place = placeOf(pod)
      await occasion.cluster.pods.finish(place)
      const addresses = drawAddresses(occasion.number, occasion.random)
      return await startPod(drawPod(place, occasion.random), addresses, occasion)
    },
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
  ...CONTROL_OPERATIONS,
  ...POD_OPERATIONS,
  ...NODE_OPERATIONS,
]
