import type { Endpoint, EndpointSlice } from '../../endpointslice/index.ts'
import { type Bytes, type EndpointsSum, NO_ENDPOINTS, type SliceSizes } from '../sizes/index.ts'

/** A slice with its endpoints by the names of their Pods, and their size in bytes. */
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

/** The slices of a Service. The cost of a change depends only on the changed endpoints, not on the others. */
export interface KeptSlices {
  readonly all: ReadonlyMap<string, KeptSlice>
  /** Number of endpoints in all slices. */
  readonly endpoints: number
  /** Returns the names of the slices with endpoints of a Pod: one per address type. */
  of(pod: string): readonly string[]
  /**
   * Sets the endpoints of the slice.
   * @param pods replace only the endpoints of these. Default: all
   */
  put(slice: EndpointSlice, pods?: Iterable<string>): KeptSlice
  delete(name: string): void
}

export function createKeptSlices(sizes: SliceSizes): KeptSlices {
  const slices = new Map<string, KeptSlice>()
  const places = new Map<string, string[]>()
  let count = 0

  /** Adds an endpoint. An existing one keeps its position, as in a plan. */
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

/** Maps endpoints by the names of their Pods, skipping those without a Pod. */
function byPod(endpoints: readonly Endpoint[]): Map<string, Endpoint> {
  const found = new Map<string, Endpoint>()
  for (const endpoint of endpoints) {
    const name = endpoint.targetRef?.name
    if (name) found.set(name, endpoint)
  }
  return found
}

/** Adds or subtracts an endpoint. */
function tally(sum: KeptSlice['sum'], { protobuf, json }: Bytes, times: 1 | -1): void {
  sum.count += times
  sum.protobuf += times * protobuf
  sum.json += times * json
}

export const nameOf = ({ metadata }: Pick<EndpointSlice, 'metadata'>): string => metadata?.name ?? ''

/** Returns the slice in the form of the API. */
export const wholeSlice = ({ head, endpoints }: KeptSlice): EndpointSlice => ({
  ...head,
  endpoints: Array.from(endpoints.values(), ({ endpoint }) => endpoint),
})
