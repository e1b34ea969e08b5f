import {
  type Endpoint,
  type EndpointSlice,
  isPodCounted,
  type Node,
  type PackedSlice,
  type PackingPolicy,
  type Pod,
  plan,
  type Service,
  type SlicePlan,
} from '../../endpointslice/index.ts'
import type { EventType, SliceSizes } from '../sizes/index.ts'
import { suffix } from '../workloads/index.ts'
import { createPublishedSlices, nameOf, type PublishedSlice, wholeSlice } from './published-slices.ts'
import type { PodsByName, Publisher, Write } from './publisher.ts'

export interface SlicesOptions {
  readonly service: Service
  readonly nodes: ReadonlyMap<string, Node>
  readonly sizes: SliceSizes
  readonly maxEndpointsPerSlice: number
  /** Merges slices; default: no merging, like the in-tree controller. */
  readonly mergePolicy?: PackingPolicy | undefined
  /** Prefix for the slices of one of several publishers of a Service; all of one length. Default: none. */
  readonly namePrefix?: string
}

const MANAGED_BY = 'endpointslice-controller.k8s.io'
/** Only its length matters. */
const TRIGGER_TIME = '2026-01-01T00:00:00Z'

/** A plan of some Pods, with the number of endpoints by which its slices are shorter than the real ones. */
interface PartPlan extends SlicePlan {
  readonly leftOut: number
}

/**
 * Creates a publisher of EndpointSlices by plan(). A sync of some Pods plans these and the slices that they
 * can affect, like a hinted sync of the function. The result equals that of a full sync:
 * 1. Take the slices that hold one of the Pods.
 * 2. For each number of Pods that may not fit into these, add the slice that they would fill best.
 * 3. Remove as many endpoints from each as all of them can spare, and lower the maximum by the same number: a
 *    plan depends only on the room in a slice, and on whether it has other endpoints.
 * If the packing policy would then merge slices, or if none would remain, the whole Service is planned.
 */
export function createSlicesPublisher(options: SlicesOptions): Publisher {
  const { nodes, sizes, maxEndpointsPerSlice, mergePolicy, namePrefix = '' } = options
  let { service } = options
  const state = createPublishedSlices(sizes)
  let version = 1
  let made = 0
  let wasFullSync = true

  const named = (names: Iterable<string>): PublishedSlice[] =>
    // Sorted by name, as an API server lists them.
    [...names].sort().flatMap((name) => state.all.get(name) ?? [])

  function planAll(pods: PodsByName): SlicePlan {
    const slices = named(state.all.keys()).map(wholeSlice)
    return plan(
      { service, pods: [...pods.values()], nodes: nodesOf(pods.values()), slices },
      { maxEndpointsPerSlice, packing: mergePolicy, managedBy: MANAGED_BY, triggerTime: TRIGGER_TIME },
    )
  }

  function planPart(all: PodsByName, changed: readonly string[]): PartPlan | undefined {
    const concerned = slicesFor(changed, all).map((slice) => partOf(slice, changed))
    const pods = thoseOf(all, changed)
    // 3.
    const spare = Math.min(...concerned.map(({ others }) => others - 1))
    const leftOut = Math.max(0, Math.min(spare, maxEndpointsPerSlice - changed.length - 1))
    const part = plan(
      {
        service,
        pods,
        nodes: nodesOf(pods),
        slices: concerned.map(({ head, endpoints, others }) => ({
          ...head,
          endpoints: [...endpoints, ...fillers(others - leftOut)],
        })),
      },
      {
        maxEndpointsPerSlice: maxEndpointsPerSlice - leftOut,
        managedBy: MANAGED_BY,
        triggerTime: TRIGGER_TIME,
        onlyPods: new Set(changed),
      },
    )
    const left = state.endpoints + part.stats.endpointsAdded - part.stats.endpointsRemoved
    const planned = { ...part, leftOut }
    return left === 0 || wouldMerge(planned) ? undefined : planned
  }

  /** Selects the slices of steps 1 and 2. */
  function slicesFor(changed: readonly string[], pods: PodsByName): PublishedSlice[] {
    const names = new Set<string>()
    const families = service.spec?.ipFamilies?.length ?? 1
    let missing = 0
    for (const pod of changed) {
      const places = state.of(pod)
      const now = pods.get(pod)
      for (const place of places) names.add(place)
      if (places.length < families && now !== undefined && isPodCounted(now)) missing++
    }
    for (const name of bestFits(Math.min(missing, maxEndpointsPerSlice - 1), names)) names.add(name)
    return named(names)
  }

  /** For each number up to `count` and kind of slices, finds the fullest other slice with room for it. */
  function bestFits(count: number, holding: ReadonlySet<string>): Set<string> {
    const found = new Set<string>()
    if (count === 0) return found
    for (const firstOfSize of firstOfEachSize(holding).values()) {
      const fullestFirst = [...firstOfSize.keys()].sort((a, b) => b - a)
      for (let wanted = 1; wanted <= count; wanted++) {
        const size = fullestFirst.find((each) => each + wanted <= maxEndpointsPerSlice)
        if (size !== undefined) found.add(firstOfSize.get(size) ?? '')
      }
    }
    return found
  }

  /** Finds the first by name of the other slices that are not full, by kind and size. */
  function firstOfEachSize(holding: ReadonlySet<string>): Map<string, Map<number, string>> {
    const kinds = new Map<string, Map<number, string>>()
    for (const [name, slice] of state.all) {
      const { size } = slice.endpoints
      if (size >= maxEndpointsPerSlice || holding.has(name)) continue
      const kind = kindOf(slice)
      const first = kinds.get(kind) ?? new Map<number, string>()
      kinds.set(kind, first)
      const known = first.get(size)
      if (known === undefined || name < known) first.set(size, name)
    }
    return kinds
  }

  function wouldMerge({ leftOut, ...part }: PartPlan): boolean {
    if (mergePolicy === undefined || part.create.length + part.update.length + part.delete.length === 0)
      return false
    const written = new Set([...part.delete, ...part.update].map(nameOf))
    const packed: PackedSlice[] = named(state.all.keys())
      .filter(({ head }) => !written.has(nameOf(head)))
      .map(({ endpoints }) => ({ size: endpoints.size, write: 'none' }))
    for (const slice of part.update) packed.push({ size: sizeOf(slice) + leftOut, write: 'update' })
    for (const slice of part.create) packed.push({ size: sizeOf(slice), write: 'create' })
    return mergePolicy(packed, maxEndpointsPerSlice).length > 0
  }

  /**
   * Reports whether a slice is created or deleted, for which a hinted sync falls back to a full one. With one
   * endpoint per slice, every change would.
   */
  const isRepacked = ({ create, delete: gone }: PartPlan): boolean =>
    maxEndpointsPerSlice > 1 && create.length + gone.length > 0

  function nodesOf(pods: Iterable<Pod>): Node[] {
    const found = new Set<Node>()
    for (const { spec } of pods) {
      const node = nodes.get(spec?.nodeName ?? '')
      if (node !== undefined) found.add(node)
    }
    return [...found]
  }

  /** @param changed the planned Pods, if not all */
  function apply(
    planned: Pick<SlicePlan, 'create' | 'update' | 'delete'>,
    changed?: readonly string[],
  ): Write[] {
    const writes: Write[] = []
    for (const slice of planned.delete) writes.push(...deletions(nameOf(slice)))
    for (const slice of planned.update) writes.push(written('update', state.put(slice, changed)))
    for (const { metadata, ...content } of planned.create) {
      const name = `${metadata?.generateName ?? ''}${namePrefix}${suffix(made++)}`
      writes.push(written('create', state.put({ ...content, metadata: { ...metadata, name } })))
    }
    return writes
  }

  function deletions(name: string): Write[] {
    const last = state.all.get(name)
    if (last === undefined) return []
    // A delete event has the last state of the slice.
    const write = written('delete', last)
    state.delete(name)
    return [write]
  }

  function written(operation: Write['operation'], { head, sum }: PublishedSlice): Write {
    version++
    return { operation, ...sizes.of(EVENT_TYPES[operation], head, version, sum) }
  }

  return {
    publish(pods, changed) {
      const part = changed === undefined || state.endpoints === 0 ? undefined : planPart(pods, changed)
      wasFullSync = part === undefined || isRepacked(part)
      return part === undefined || wasFullSync ? apply(planAll(pods)) : apply(part, changed)
    },
    get wasFullSync() {
      return wasFullSync
    },
    serve(next) {
      service = next
    },
    withdraw: () =>
      apply({ create: [], update: [], delete: [...state.all.values()].map(({ head }) => head) }),
    get endpoints() {
      return state.endpoints
    },
    get objects() {
      return state.all.size
    },
    get leastObjects() {
      return Math.max(Math.min(1, state.all.size), Math.ceil(state.endpoints / maxEndpointsPerSlice))
    },
    slices: () => [...state.all.values()].map(wholeSlice),
  }
}

const EVENT_TYPES: Readonly<Record<Write['operation'], EventType>> = {
  create: 'ADDED',
  update: 'MODIFIED',
  delete: 'DELETED',
}

/** Returns the existing values of these names. */
function thoseOf<T>(all: ReadonlyMap<string, T>, names: readonly string[]): T[] {
  const found: T[] = []
  for (const name of names) {
    const one = all.get(name)
    if (one !== undefined) found.push(one)
  }
  return found
}

/** Selects the endpoints of these Pods, and counts the others. */
function partOf({ head, endpoints: all }: PublishedSlice, pods: readonly string[]) {
  const endpoints = thoseOf(all, pods).map(({ endpoint }) => endpoint)
  return { head, endpoints, others: all.size - endpoints.length }
}

/** Creates endpoints without a Pod, which a plan of some Pods leaves unchanged. */
const fillers = (count: number): Endpoint[] => Array.from({ length: count }, () => FILLER)
const FILLER: Endpoint = { addresses: ['0.0.0.0'] }

const sizeOf = ({ endpoints = [] }: EndpointSlice): number => endpoints.length

const kindOf = ({ head: { addressType, ports } }: PublishedSlice): string =>
  `${addressType} ${ports?.map(({ name, port }) => `${name}:${port}`).join()}`
