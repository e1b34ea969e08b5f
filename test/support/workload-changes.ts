import { LABEL_ZONE } from '../../shared/endpointslice/index.ts'
import { type ApiClient, NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import type { Random } from './random.ts'
import {
  drawPod,
  type ModelNode,
  type ModelPod,
  type ModelService,
  PORT_LIST_COUNT,
  podObject,
  portsOf,
  SELECTIONS,
  selectionPatch,
  serviceLabels,
  serviceObject,
  type WorkloadModel,
  ZONES,
} from './workload-model.ts'
import { type FakePods, makeNode } from './world/index.ts'

/** One change of one object. Changes of one object are made in the order they were drawn. */
export interface Change {
  readonly kind: ChangeKind
  readonly object: string
  run(cluster: ClusterAccess): Promise<void>
}

interface ClusterAccess {
  readonly client: ApiClient
  readonly pods: FakePods
}

/** Weight of each kind of change: how often it is drawn, relative to the others. */
const WEIGHTS = {
  readiness: 40,
  'pod-labels': 12,
  'pod-create': 9,
  'pod-delete': 9,
  'pod-failure': 2,
  'service-ports': 7,
  'service-selector': 7,
  'service-labels': 3,
  'service-recreate': 5,
  /** Deletes a Service, or makes one again that was deleted. */
  'service-toggle': 3,
  'node-zone': 2,
  'node-toggle': 1,
} as const

export type ChangeKind = keyof typeof WEIGHTS
export const CHANGE_KINDS = Object.keys(WEIGHTS) as readonly ChangeKind[]

interface Draw {
  readonly model: WorkloadModel
  readonly random: Random
}

/**
 * Draws the next change and brings the model up to date with it at once, so that the same seed draws the same
 * changes whatever the cluster does.
 */
export function drawChange(draw: Draw, without: ReadonlySet<ChangeKind>): Change {
  const kinds = CHANGE_KINDS.filter((kind) => !without.has(kind))
  for (;;) {
    const kind = drawKind(kinds, draw.random)
    const change = DRAWN[kind](draw)
    if (change !== undefined) return { kind, ...change }
  }
}

function drawKind(kinds: readonly ChangeKind[], random: Random): ChangeKind {
  let left = random.below(kinds.reduce((sum, kind) => sum + WEIGHTS[kind], 0))
  const kind = kinds.find((candidate) => {
    left -= WEIGHTS[candidate]
    return left < 0
  })
  if (kind === undefined) throw new Error('there is no kind of change left to draw')
  return kind
}

type Drawn = Omit<Change, 'kind'> | undefined

const DRAWN: Readonly<Record<ChangeKind, (draw: Draw) => Drawn>> = {
  readiness: (draw) =>
    withPod(draw, (pod) => {
      const ready = !pod.ready
      pod.ready = ready
      return ({ pods }) => pods.setReady(pod, ready)
    }),
  'pod-labels': (draw) => withPod(draw, (pod) => relabel(pod, draw)),
  'pod-create': ({ model, random }) => {
    const service = random.pick(model.services)
    return service && createPod(drawPod(model, service, random))
  },
  'pod-delete': (draw) => {
    const pod = draw.random.pick([...draw.model.pods])
    return pod && { object: podKey(pod), run: deletePod(pod, draw) }
  },
  'pod-failure': (draw) =>
    withPod(draw, (pod) => {
      pod.failed = true
      pod.ready = false
      return ({ pods }) => pods.setStatus(pod, pod.addresses, { ready: false, phase: 'Failed' })
    }),
  'service-ports': (draw) =>
    withService(draw, (service) => {
      service.ports = (service.ports + 1) % PORT_LIST_COUNT
      return patchService(service, { spec: { ports: portsOf(service) } })
    }),
  'service-selector': (draw) =>
    withService(draw, (service) => {
      const others = SELECTIONS.filter((selection) => selection !== service.selection)
      service.selection = draw.random.pick(others) ?? 'own'
      return patchService(service, selectionPatch(service))
    }),
  'service-labels': (draw) =>
    withService(draw, (service) => {
      service.label++
      return patchService(service, { metadata: { labels: serviceLabels(service) } })
    }),
  'service-recreate': (draw) =>
    withService(draw, (service) => {
      const object = serviceObject(service)
      return async ({ client }) => {
        await client.delete(SERVICES, service)
        await client.create(SERVICES, object)
      }
    }),
  'service-toggle': ({ model, random }) => {
    const service = random.pick(model.services)
    return service && { object: serviceKey(service), run: toggleService(service) }
  },
  'node-zone': ({ model, random }) => {
    const node = random.pick(model.nodes.filter(({ exists }) => exists))
    return node && { object: nodeKey(node), run: moveNode(node, random) }
  },
  'node-toggle': ({ model, random }) => {
    const node = random.pick(model.nodes)
    return node && { object: nodeKey(node), run: toggleNode(node) }
  },
}

const podKey = ({ namespace, name }: ModelPod): string => `pod ${namespace}/${name}`
const serviceKey = ({ namespace, name }: ModelService): string => `service ${namespace}/${name}`
const nodeKey = ({ name }: ModelNode): string => `node ${name}`

/** Draws a pod that a kubelet would still report on, and a change of it. */
function withPod({ model, random }: Draw, change: (pod: ModelPod) => Change['run']): Drawn {
  const pod = random.pick([...model.pods].filter(({ terminating, failed }) => !terminating && !failed))
  return pod && { object: podKey(pod), run: change(pod) }
}

function withService({ model, random }: Draw, change: (service: ModelService) => Change['run']): Drawn {
  const service = random.pick(model.services.filter(({ exists }) => exists))
  return service && { object: serviceKey(service), run: change(service) }
}

function createPod(pod: ModelPod): Drawn {
  const object = podObject(pod)
  const { ready } = pod
  return { object: podKey(pod), run: ({ pods }) => pods.start(object, pod.addresses, { ready }) }
}

function relabel(pod: ModelPod, { model, random }: Draw): Change['run'] {
  if (random.chance(0.3)) pod.track = pod.track === 'stable' ? 'canary' : 'stable'
  else {
    const others = model.services.filter(
      ({ namespace, name }) => namespace === pod.namespace && name !== pod.app,
    )
    pod.app = random.pick(others)?.name ?? pod.app
  }
  const labels = { app: pod.app, track: pod.track }
  return async ({ client }) => void (await client.patch(PODS, pod, { metadata: { labels } }))
}

/** Half of the pods end gracefully: they stay as terminating until they are drawn a second time. */
/** Deletes a pod. API servers give a failed pod no grace period: it is gone at once. */
function deletePod(pod: ModelPod, { model, random }: Draw): Change['run'] {
  if (!pod.terminating && random.chance(0.5) && !pod.failed) {
    pod.terminating = true
    return ({ pods }) => pods.terminate(pod)
  }
  model.pods.delete(pod)
  return ({ pods }) => pods.finish(pod)
}

const patchService =
  (service: ModelService, patch: unknown): Change['run'] =>
  async ({ client }) =>
    void (await client.patch(SERVICES, service, patch))

function toggleService(service: ModelService): Change['run'] {
  service.exists = !service.exists
  if (!service.exists) return ({ client }) => client.delete(SERVICES, service)
  const object = serviceObject(service)
  return async ({ client }) => void (await client.create(SERVICES, object))
}

function moveNode(node: ModelNode, random: Random): Change['run'] {
  node.zone = random.pick(ZONES.filter((zone) => zone !== node.zone)) ?? node.zone
  const labels = { [LABEL_ZONE]: node.zone }
  return async ({ client }) => void (await client.patch(NODES, node, { metadata: { labels } }))
}

function toggleNode(node: ModelNode): Change['run'] {
  node.exists = !node.exists
  if (!node.exists) return ({ client }) => client.delete(NODES, node)
  const object = makeNode(node)
  return async ({ client }) => void (await client.create(NODES, object))
}
