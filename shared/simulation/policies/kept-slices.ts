import type { Endpoint, EndpointSlice } from '../../endpointslice/index.ts'
import { type Bytes, type EndpointsSum, NO_ENDPOINTS, type SliceSizes } from '../sizes/index.ts'

/** A slice with its endpoints by the names of their Pods, and the bytes of these. */
export interface KeptSlice {
  /** The slice without its endpoints. */
  head: EndpointSlice
  readonly endpoints: Map<string, KeptEndpoint>
  readonly sum: { -readonly [Field in keyof EndpointsSum]: EndpointsSum[Field] }
}

export interface KeptEndpoint {
  readonly endpoint: Endpoint
  readonly bytes: Bytes
}

/**
 * The slices of a Service; a change of some endpoints costs what these do, however many stand beside them.
 */
export interface KeptSlices {
  readonly all: ReadonlyMap<string, KeptSlice>
  /** Endpoints of all slices. */
  readonly endpoints: number
  /** Returns the names of the slices that hold a Pod: one for each address type. */
  of(pod: string): readonly string[]
  /**
   * Gives the slice these endpoints.
   * @param pods of whom these are; whatever others it has stays. Default: of all
   */
  put(slice: EndpointSlice, pods?: Iterable<string>): KeptSlice
  delete(name: string): void
}

export function createKeptSlices(sizes: SliceSizes): KeptSlices {
  const slices = new Map<string, KeptSlice>()
  const places = new Map<string, string[]>()
  let count = 0

  /** Adds an endpoint. One that is there already keeps its place among the others, as in a plan. */
  function add(kept: KeptSlice, pod: string, endpoint: Endpoint): void {
    const before = kept.endpoints.get(pod)
    const bytes = sizes.endpoint(endpoint)
    kept.endpoints.set(pod, { endpoint, bytes })
    tally(kept.sum, bytes, 1)
    if (before !== undefined) {
      tally(kept.sum, before.bytes, -1)
      return
    }
    count++
    const names = places.get(pod)
    if (names === undefined) places.set(pod, [nameOf(kept.head)])
    else names.push(nameOf(kept.head))
  }

  function remove(kept: KeptSlice, pod: string): void {
    const before = kept.endpoints.get(pod)
    if (before === undefined) return
    kept.endpoints.delete(pod)
    tally(kept.sum, before.bytes, -1)
    count--
    const names = (places.get(pod) ?? []).filter((name) => name !== nameOf(kept.head))
    if (names.length === 0) places.delete(pod)
    else places.set(pod, names)
  }

  return {
    all: slices,
    get endpoints() {
      return count
    },
    of: (pod) => places.get(pod) ?? NONE,
    put({ endpoints = [], ...head }, pods) {
      const name = nameOf(head)
      const kept = slices.get(name) ?? { head, endpoints: new Map(), sum: { ...NO_ENDPOINTS } }
      slices.set(name, kept)
      kept.head = head
      const given = byPod(endpoints)
      for (const pod of pods ?? [...kept.endpoints.keys()])
        if (pods === undefined || !given.has(pod)) remove(kept, pod)
      for (const [pod, endpoint] of given) add(kept, pod, endpoint)
      return kept
    },
    delete(name) {
      const kept = slices.get(name)
      if (kept === undefined) return
      for (const pod of [...kept.endpoints.keys()]) remove(kept, pod)
      slices.delete(name)
    },
  }
}

const NONE: readonly never[] = []

/** Maps endpoints by the names of their Pods. Those that are nobody's are left out. */
function byPod(endpoints: readonly Endpoint[]): Map<string, Endpoint> {
  const found = new Map<string, Endpoint>()
  for (const endpoint of endpoints) {
    const name = endpoint.targetRef?.name
    if (name) found.set(name, endpoint)
  }
  return found
}

/** Counts an endpoint in, or out. */
function tally(sum: KeptSlice['sum'], { protobuf, json }: Bytes, times: 1 | -1): void {
  sum.count += times
  sum.protobuf += times * protobuf
  sum.json += times * json
}

export const nameOf = ({ metadata }: Pick<EndpointSlice, 'metadata'>): string => metadata?.name ?? ''

/** Returns the slice as the API has it. */
export const wholeSlice = ({ head, endpoints }: KeptSlice): EndpointSlice => ({
  ...head,
  endpoints: Array.from(endpoints.values(), ({ endpoint }) => endpoint),
})
