import {
  type Change,
  HINTED_PODS,
  isListCheaper,
  type KeyText,
  keyText,
  type ServiceKey,
} from '../../changes/index.ts'
import type { EndpointSlice, Node, Pod, Service } from '../../endpointslice/index.ts'
import {
  POLICIES,
  type PolicyContext,
  type PolicyName,
  type Publisher,
  type Write,
} from '../policies/index.ts'
import { CLUSTER, type FoundEvent, type PodEvent, type ServiceEvent } from '../workloads/index.ts'
import {
  createObjectsOverTime,
  createWriteCounter,
  type RunMeasures,
  type WriteMeasures,
} from './measures.ts'

/** One Service: its Pods and published slices. */
export interface ServiceState {
  readonly publisher: Publisher
  readonly pods: Map<string, Pod>
  /** Times of each Pod's unpublished changes, by its name. The Service itself is {@link ITSELF}. */
  readonly unpublished: Map<string, number[]>
  service: Service
  isGone: boolean
  /** Published Pods whose slices the relay has not verified yet. */
  unverified: string[]
  /** The Service has unpublished changes, so that a hinted sync is not possible. */
  isOther: boolean
}

/** Not the name of any Pod. */
const ITSELF = ''

export interface WorldOptions extends Omit<PolicyContext, 'nodes'> {
  readonly policy: PolicyName
  /** Number of watchers that receive each event. Default: one per Node. */
  readonly watchers?: number | undefined
}

/** The objects of a simulated cluster, and their published slices. */
export interface World {
  /**
   * Adds pre-existing objects. Publishing them is not a change.
   * @param ofPods the Services that each of the Pods is an endpoint of
   */
  find(found: FoundEvent['found'], ofPods: readonly (readonly Change[])[], atMs: number): void
  /** @param changes the changes of Services that the relay's index finds in the event */
  happen(event: PodEvent | ServiceEvent, changes: readonly Change[]): void
  /** Reports whether everything that the change names is published, so that no sync is needed. */
  isPublished(change: Change): boolean
  /** Verifies what was published since the last call, as the relay does; wrong slices are changes. */
  verify(key: ServiceKey): Change[]
  /** Publishes the result of a sync for the change. */
  publish(change: Change): Publication
  stateOf(key: ServiceKey): ServiceState
  /** Reports whether it is the key of the first Service. */
  isFirst(key: ServiceKey): boolean
  /** Returns the slices of the first Service. */
  slices(): readonly EndpointSlice[]
  /** Returns the costs of the initial objects. */
  created(): WriteMeasures
  /** Returns the costs of all later writes. */
  written(): WriteMeasures
  objectsToLeast(endMs: number): RunMeasures['objectsToLeast']
}

export interface Publication {
  /** Times of the changes that it publishes. */
  readonly moments: readonly number[]
  readonly writes: number
  /** Whether it was a full sync. */
  readonly isWhole: boolean
  /** Counts its writes when they are observed. */
  observed(atMs: number): void
}

export function createWorld({ policy, watchers, ...context }: WorldOptions): World {
  const nodes = new Map<string, Node>()
  const states = new Map<KeyText, ServiceState>()
  const watcherCount = (): number => watchers ?? nodes.size
  const creates = createWriteCounter(watcherCount)
  const writes = createWriteCounter(watcherCount)
  const objects = createObjectsOverTime()

  function stateOf(key: ServiceKey): ServiceState {
    const state = states.get(keyText(key))
    if (state === undefined) throw new Error(`the workload has no Service ${keyText(key)}`)
    return state
  }

  const isNew = (service: Service): boolean => !states.has(keyOf(service))

  function putService(service: Service): ServiceState {
    const key = keyOf(service)
    const known = states.get(key)
    if (known === undefined) {
      const state = newState(service, POLICIES[policy](service, { ...context, nodes }))
      states.set(key, state)
      return state
    }
    known.publisher.serve(service)
    known.service = service
    known.isGone = false
    return known
  }

  /** @returns the differences in the number of objects and in the minimum number */
  function counted(publisher: Publisher, publish: () => Write[]) {
    const { objects: before, leastObjects: leastBefore } = publisher
    const made = publish()
    return { made, more: publisher.objects - before, moreLeast: publisher.leastObjects - leastBefore }
  }

  const find: World['find'] = ({ services = [], nodes: found = [], pods = [] }, ofPods, atMs) => {
    for (const node of found) nodes.set(node.metadata?.name ?? '', node)
    const touched = new Map<ServiceState, string[]>(
      services.filter(isNew).map((service) => [putService(service), []]),
    )
    for (const service of services) putService(service)
    for (const [pod, change] of pods.flatMap((each, place) =>
      (ofPods[place] ?? []).map((of) => [each, of] as const),
    )) {
      const state = stateOf(change)
      putPod(state, pod)
      const names = touched.get(state)
      if (names === undefined) touched.set(state, [nameOf(pod)])
      else names.push(nameOf(pod))
    }
    for (const [{ publisher, pods: all }, names] of touched) {
      const { made, more, moreLeast } = counted(publisher, () => publisher.publish(all, names))
      creates.add(made)
      objects.add(atMs, more, moreLeast)
    }
  }

  function happenToService({ atMs, service, isGone }: ServiceEvent, changes: readonly Change[]): void {
    const state = putService(service)
    if (isGone) state.pods.clear()
    state.isGone = isGone === true
    state.isOther = true
    if (changes.length > 0) note(state, ITSELF, atMs)
  }

  return {
    find,
    happen(event, changes) {
      if ('service' in event) return happenToService(event, changes)
      const { atMs, pod, isGone } = event
      for (const change of changes) {
        const state = stateOf(change)
        if (isGone) state.pods.delete(nameOf(pod))
        else putPod(state, pod)
        note(state, nameOf(pod), atMs)
      }
    },
    isPublished(change) {
      const { unpublished } = stateOf(change)
      return change.pods?.every((pod) => !unpublished.has(pod)) ?? false
    },
    verify({ cluster, namespace, service }) {
      const state = stateOf({ cluster, namespace, service })
      const { unverified: names, unpublished } = state
      state.unverified = []
      if (!names.some((name) => unpublished.has(name))) return []
      const pods = [...new Set(names)]
      return [{ cluster, namespace, service, ...(pods.length <= HINTED_PODS && { pods }) }]
    },
    publish(change) {
      const state = stateOf(change)
      const { publisher, pods, unpublished, isGone, isOther } = state
      const all = [...unpublished.keys()]
      const named = change.pods ?? all
      const isCheaper = isListCheaper(named.length, publisher.endpoints)
      const wanted = isCheaper ? all : named
      const { made, more, moreLeast } = counted(publisher, () =>
        isGone ? publisher.withdraw() : publisher.publish(pods, isOther ? undefined : wanted),
      )
      const isFull = isOther || publisher.wasFullSync === true
      const synced = isFull ? all : wanted
      const published = synced.filter((name) => unpublished.has(name))
      const moments = published.flatMap((name) => unpublished.get(name) ?? [])
      for (const name of published) unpublished.delete(name)
      if (made.length > 0) state.unverified.push(...published)
      state.isOther = false
      return {
        moments,
        writes: made.length,
        isWhole: isFull || isGone || isCheaper || change.pods === undefined,
        observed(atMs) {
          writes.add(made)
          objects.add(atMs, more, moreLeast)
        },
      }
    },
    stateOf,
    isFirst: (key) => keyText(key) === states.keys().next().value,
    slices: () => states.values().next().value?.publisher.slices() ?? [],
    created: creates.read,
    written: writes.read,
    objectsToLeast: objects.read,
  }
}

const newState = (service: Service, publisher: Publisher): ServiceState => ({
  service,
  publisher,
  pods: new Map(),
  unpublished: new Map(),
  isGone: false,
  unverified: [],
  isOther: false,
})

const nameOf = ({ metadata }: Pod): string => metadata?.name ?? ''

function keyOf({ metadata: { namespace = '', name = '' } = {} }: Service): KeyText {
  return keyText({ cluster: CLUSTER, namespace, service: name })
}

/** Stores a Pod, or removes it if its change is that the Service no longer selects it. */
function putPod({ pods, service }: ServiceState, pod: Pod): void {
  const labels = pod.metadata?.labels ?? {}
  const isSelected = Object.entries(service.spec?.selector ?? {}).every(
    ([name, value]) => labels[name] === value,
  )
  if (isSelected) pods.set(nameOf(pod), pod)
  else pods.delete(nameOf(pod))
}

function note({ unpublished }: ServiceState, name: string, atMs: number): void {
  const moments = unpublished.get(name)
  if (moments === undefined) unpublished.set(name, [atMs])
  else moments.push(atMs)
}
