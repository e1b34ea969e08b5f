import type { ApiClient } from '../../shared/kubernetes/index.ts'
import { SERVICES } from '../../shared/kubernetes/index.ts'
import type { Random } from '../support/random.ts'
import { CHANGE_KINDS, type ChangeKind, drawChange } from '../support/workload-changes.ts'
import {
  drawPod,
  type ModelNode,
  type ModelPod,
  type ModelService,
  makeModelService,
  podObject,
  serviceObject,
  type WorkloadModel,
  ZONES,
} from '../support/workload-model.ts'
import { createFakePods, type FakePods } from '../support/world/index.ts'

/** One thing that users do, in its own words. */
export interface Step {
  readonly kind: StepKind
  readonly what: string
  run(access: Access): Promise<void>
}

interface Access {
  readonly client: ApiClient
  readonly pods: FakePods
}

export const STEP_KINDS = ['create', 'scale', 'roll', 'relabel', 'delete', 'again', 'readiness'] as const
type StepKind = (typeof STEP_KINDS)[number]

/** Steps of users in one namespace, drawn before any of them is taken. */
export interface Story {
  /** Every Service and its first pods. */
  readonly beginning: Step
  next(): Step
  /** Adds a pod and deletes it at once. */
  passing(): Step
  /** Changes a Service so that its slices cannot be right any more. */
  nudge(): Step
}

interface StoryOptions {
  readonly namespace: string
  readonly mode: 'custom' | 'replace'
  readonly random: Random
}

/** They exist before any story begins, and stay. */
export const STORY_NODES: readonly ModelNode[] = ZONES.map((zone, index) => ({
  name: `story-node-${index}`,
  zone,
  exists: true,
}))

/** Pods per Service, so that each Service has more than one slice. */
const PODS_PER_SERVICE = 4
const VARIANTS = [{}, { clusterIP: 'None' }, { publishNotReadyAddresses: true }] as const

const CHANGES: Partial<Readonly<Record<StepKind, readonly ChangeKind[]>>> = {
  relabel: ['pod-labels', 'service-selector', 'service-labels'],
  delete: ['service-toggle', 'pod-delete', 'pod-failure'],
  again: ['service-recreate'],
  readiness: ['readiness'],
}

export const accessOf = (client: ApiClient): Access => ({ client, pods: createFakePods(client) })

/** @returns a story that is the same for the same seed, whatever the namespace is called */
export function createStory({ namespace, mode, random }: StoryOptions): Story {
  const model = modelOf(namespace, mode)
  const { services } = model
  const podsOf = (app: string): ModelPod[] =>
    [...model.pods].filter((pod) => pod.app === app && !pod.terminating && !pod.failed)
  const drawMany = (service: { namespace: string; name: string }, count: number): ModelPod[] =>
    Array.from({ length: count }, () => drawPod(model, service, random))
  function someService(): ModelService {
    const service = random.pick(services)
    if (service === undefined) throw new Error('a story has Services')
    return service
  }

  /** Takes pods out of the model and hands them to the caller. */
  function take(pods: readonly ModelPod[]): readonly ModelPod[] {
    for (const pod of pods) model.pods.delete(pod)
    return pods
  }

  const draw: Readonly<Record<StepKind, () => Omit<Step, 'kind'>>> = {
    create() {
      const service = someService()
      const pods = drawMany(service, 1 + random.below(2))
      return { what: `${pods.length} more pods labelled ${service.name}`, run: startAll(pods) }
    },
    scale() {
      const service = someService()
      const now = podsOf(service.name)
      const target = random.below(2 * PODS_PER_SERVICE)
      const going = take(now.slice(target))
      const coming = drawMany(service, Math.max(0, target - now.length))
      return {
        what: `${service.name} from ${now.length} pods to ${target}`,
        async run(access) {
          await Promise.all([startAll(coming)(access), ...going.map((pod) => access.pods.finish(pod))])
        },
      }
    },
    roll() {
      const service = someService()
      const old = take(podsOf(service.name))
      const fresh = drawMany(service, old.length)
      return { what: `${service.name} rolls ${old.length} pods`, run: roll(old, fresh) }
    },
    again() {
      const [pod] = podsOf(someService().name)
      if (pod === undefined || random.chance(0.5)) return drawn('again')
      take([pod])
      const [{ addresses } = pod] = take(drawMany(pod, 1))
      const next: ModelPod = { ...pod, addresses, ready: true }
      model.pods.add(next)
      const start = startAll([next])
      const run = inTurn((access) => access.pods.finish(pod), start)
      return { what: `pod ${pod.name} is deleted and made again`, run }
    },
    relabel: () => drawn('relabel'),
    delete: () => drawn('delete'),
    readiness: () => drawn('readiness'),
  }

  /** Draws a step. If there is nothing of its kind to change, it adds a pod. */
  function drawn(kind: StepKind): Omit<Step, 'kind'> {
    return drawnOf(canChange(model) ? (CHANGES[kind] ?? PLAIN) : PLAIN)
  }

  function drawnOf(kinds: readonly ChangeKind[]): Omit<Step, 'kind'> {
    const change = drawChange({ model, random }, new Set(CHANGE_KINDS.filter((one) => !kinds.includes(one))))
    return { what: `${change.kind} of ${change.object.replace(`${namespace}/`, '')}`, run: change.run }
  }

  const first = services.flatMap((service) => drawMany(service, PODS_PER_SERVICE))
  return {
    beginning: beginningOf(services, first),
    passing() {
      const service = someService()
      const pods = take(drawMany(service, 1))
      const finishes = pods.map(
        (pod): Step['run'] =>
          (access) =>
            access.pods.finish(pod),
      )
      const run = inTurn(startAll(pods), ...finishes)
      return { kind: 'create', what: `a pod of ${service.name} comes and goes`, run }
    },
    nudge() {
      const kind = services.some(({ exists }) => exists) ? 'service-labels' : 'service-toggle'
      return { kind: 'relabel', ...drawnOf([kind]) }
    },
    next() {
      const kind = random.pick(STEP_KINDS) ?? 'create'
      return { kind, ...draw[kind]() }
    },
  }
}

function modelOf(namespace: string, mode: StoryOptions['mode']): WorkloadModel {
  const names = VARIANTS.map((_, index) => `svc-${index}`)
  const services = VARIANTS.map((spec, index) => {
    const neighbour = names[(index + 1) % names.length] ?? ''
    return makeModelService({ namespace, name: names[index] ?? '', neighbour, mode, spec })
  })
  return { seed: 0, namespaces: [namespace], services, nodes: STORY_NODES, pods: new Set(), podsDrawn: 0 }
}

function beginningOf(services: readonly ModelService[], pods: readonly ModelPod[]): Step {
  return {
    kind: 'create',
    what: `${services.length} Services and ${pods.length} pods`,
    async run(access) {
      const made = services.map((service) => access.client.create(SERVICES, serviceObject(service)))
      await Promise.all([...made, startAll(pods)(access)])
    },
  }
}

/** Replaces the pods one by one, adding one for each that goes. */
const roll =
  (old: readonly ModelPod[], fresh: readonly ModelPod[]): Step['run'] =>
  async ({ pods, client }) => {
    for (const [index, pod] of old.entries()) {
      await startAll(fresh.slice(index, index + 1))({ pods, client })
      await pods.terminate(pod)
      await pods.finish(pod)
    }
  }

const canChange = ({ pods, services }: WorkloadModel): boolean =>
  [...pods].some(({ terminating, failed }) => !terminating && !failed) &&
  services.some(({ exists }) => exists)

const inTurn =
  (...runs: readonly Step['run'][]): Step['run'] =>
  async (access) => {
    for (const run of runs) await run(access)
  }

const PLAIN: readonly ChangeKind[] = ['pod-create']

/** Starts the pods. The objects are made when the step is drawn, as later steps change the model. */
function startAll(pods: readonly ModelPod[]): Step['run'] {
  const made = pods.map((pod) => ({ object: podObject(pod), addresses: pod.addresses, ready: pod.ready }))
  return async (access) => {
    await Promise.all(
      made.map(({ object, addresses, ready }) => access.pods.start(object, addresses, { ready })),
    )
  }
}
