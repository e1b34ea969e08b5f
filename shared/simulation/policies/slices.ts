import {
  type EndpointSlice,
  isPodCounted,
  type Node,
  PACKING_POLICIES,
  type PackedSlice,
  type Packing,
  plan,
  type Service,
  type SlicePlan,
} from '../../endpointslice/index.ts'
import type { EventType, SliceSizes } from '../sizes/index.ts'
import { suffix } from '../workloads/index.ts'
import type { PodsByName, Publisher, Write } from './publisher.ts'

export interface SlicesOptions {
  readonly service: Service
  readonly nodes: ReadonlyMap<string, Node>
  readonly sizes: SliceSizes
  readonly maxEndpointsPerSlice: number
  readonly packing: Packing
}

const MANAGED_BY = 'endpointslice-controller.k8s.io'
/** Nothing but its length counts. */
const TRIGGER_TIME = '2026-01-01T00:00:00Z'

/**
 * EndpointSlices as plan() makes them. A look at some Pods plans these and the slices that they can bear on, as a hinted
 * look of the function does, with the same result as a look at all of the Service:
 * 1. the slices that hold one of the Pods;
 * 2. for each number of Pods that may have no place in these, the slice that they would fill best.
 * Where the packing policy then would merge slices, or nothing would remain, all of the Service is planned.
 */
export function createSlicesPublisher(options: SlicesOptions): Publisher {
  const { nodes, sizes, maxEndpointsPerSlice, packing } = options
  let { service } = options
  const slices = new Map<string, EndpointSlice>()
  /** The slice that holds each Pod, by the names of both. */
  const sliceOf = new Map<string, string>()
  const mergePolicy = packing === 'upstream' ? undefined : PACKING_POLICIES[packing]
  let version = 1
  let made = 0
  let endpoints = 0

  function planAll(pods: PodsByName): SlicePlan {
    const all = [...pods.values()]
    const named = [...slices.keys()].sort().flatMap((name) => slices.get(name) ?? [])
    return plan(
      { service, pods: all, nodes: nodesOf(pods.keys(), pods), slices: named },
      { maxEndpointsPerSlice, packing, managedBy: MANAGED_BY, triggerTime: TRIGGER_TIME },
    )
  }

  function planPart(pods: PodsByName, changed: readonly string[]): SlicePlan | undefined {
    const concerned = slicesFor(changed, pods)
    const part = plan(
      {
        service,
        pods: changed.flatMap((name) => pods.get(name) ?? []),
        nodes: nodesOf(changed, pods),
        slices: concerned,
      },
      { maxEndpointsPerSlice, managedBy: MANAGED_BY, triggerTime: TRIGGER_TIME, onlyPods: new Set(changed) },
    )
    const left = endpoints + part.stats.endpointsAdded - part.stats.endpointsRemoved
    return left === 0 || wouldMerge(part) ? undefined : part
  }

  /** By name, as an API server lists them. */
  function slicesFor(changed: readonly string[], pods: PodsByName): EndpointSlice[] {
    const names = new Set<string>()
    let missing = 0
    for (const pod of changed) {
      const name = sliceOf.get(pod)
      const now = pods.get(pod)
      if (name !== undefined) names.add(name)
      else if (now !== undefined && isPodCounted(now)) missing++
    }
    for (const name of bestFits(Math.min(missing, maxEndpointsPerSlice - 1), names)) names.add(name)
    return [...names].sort().flatMap((name) => slices.get(name) ?? [])
  }

  /** For each count up to this, the fullest of the other slices that has room for so many. */
  function bestFits(count: number, named: ReadonlySet<string>): Set<string> {
    const found = new Set<string>()
    if (count === 0) return found
    const firstOfSize = firstOfEachSize(named)
    const fullestFirst = [...firstOfSize.keys()].sort((a, b) => b - a)
    for (let wanted = 1; wanted <= count; wanted++) {
      const size = fullestFirst.find((each) => each + wanted <= maxEndpointsPerSlice)
      if (size !== undefined) found.add(firstOfSize.get(size) ?? '')
    }
    return found
  }

  /** Of the other slices that are not full, by their size, the first by name. */
  function firstOfEachSize(named: ReadonlySet<string>): Map<number, string> {
    const first = new Map<number, string>()
    for (const [name, { endpoints: { length: size } = [] }] of slices) {
      if (size >= maxEndpointsPerSlice || named.has(name)) continue
      const known = first.get(size)
      if (known === undefined || name < known) first.set(size, name)
    }
    return first
  }

  function wouldMerge(part: SlicePlan): boolean {
    if (mergePolicy === undefined || part.create.length + part.update.length + part.delete.length === 0)
      return false
    const gone = new Set(part.delete.map(nameOf))
    const written = new Set(part.update.map(nameOf))
    const kept: PackedSlice[] = []
    for (const name of [...slices.keys()].sort()) {
      if (gone.has(name) || written.has(name)) continue
      kept.push({ size: slices.get(name)?.endpoints?.length ?? 0, write: 'none' })
    }
    const packed = (write: PackedSlice['write']) => (slice: EndpointSlice) => ({
      size: slice.endpoints?.length ?? 0,
      write,
    })
    const after = [...kept, ...part.update.map(packed('update')), ...part.create.map(packed('create'))]
    return mergePolicy(after, maxEndpointsPerSlice).length > 0
  }

  function nodesOf(names: Iterable<string>, pods: PodsByName): Node[] {
    const found = new Set<Node>()
    for (const name of names) {
      const node = nodes.get(pods.get(name)?.spec?.nodeName ?? '')
      if (node !== undefined) found.add(node)
    }
    return [...found]
  }

  function apply(planned: Pick<SlicePlan, 'create' | 'update' | 'delete'>): Write[] {
    const writes: Write[] = []
    for (const slice of planned.delete) {
      writes.push(written('delete', slice))
      forget(slice)
      slices.delete(nameOf(slice))
    }
    for (const slice of planned.update) {
      const before = slices.get(nameOf(slice))
      if (before !== undefined) forget(before)
      writes.push(written('update', slice))
      keep(slice)
    }
    for (const { metadata, ...content } of planned.create) {
      const name = `${metadata?.generateName ?? ''}${suffix(made++)}`
      const slice = { ...content, metadata: { ...metadata, name } }
      writes.push(written('create', slice))
      keep(slice)
    }
    return writes
  }

  function forget(slice: EndpointSlice): void {
    endpoints -= slice.endpoints?.length ?? 0
    const name = nameOf(slice)
    for (const pod of podsOf(slices.get(name))) if (sliceOf.get(pod) === name) sliceOf.delete(pod)
  }

  function keep(slice: EndpointSlice): void {
    endpoints += slice.endpoints?.length ?? 0
    const name = nameOf(slice)
    slices.set(name, slice)
    for (const pod of podsOf(slice)) sliceOf.set(pod, name)
  }

  function written(operation: Write['operation'], slice: EndpointSlice): Write {
    version++
    return { operation, ...sizes.of(EVENT_TYPES[operation], slice, version) }
  }

  return {
    publish(pods, changed) {
      const part = changed === undefined || endpoints === 0 ? undefined : planPart(pods, changed)
      return apply(part ?? planAll(pods))
    },
    serve(next) {
      service = next
    },
    withdraw: () => apply({ create: [], update: [], delete: [...slices.values()] }),
    get endpoints() {
      return endpoints
    },
    get objects() {
      return slices.size
    },
    get leastObjects() {
      return Math.max(Math.min(1, slices.size), Math.ceil(endpoints / maxEndpointsPerSlice))
    },
    slices: () => [...slices.values()],
  }
}

const EVENT_TYPES: Readonly<Record<Write['operation'], EventType>> = {
  create: 'ADDED',
  update: 'MODIFIED',
  delete: 'DELETED',
}

const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''

function* podsOf(slice: EndpointSlice | undefined): Generator<string> {
  for (const { targetRef } of slice?.endpoints ?? []) yield targetRef?.name ?? ''
}
