import type { Endpoint, EndpointSlice } from '../../endpointslice/index.ts'
import { type Bytes, type EndpointsSum, NO_ENDPOINTS, type SliceSizes } from '../sizes/index.ts'

/** A slice with its endpoints by the names of their Pods, and their size in bytes. */
export interface PublishedSlice {
  /** The slice without its endpoints. */
  head: EndpointSlice
  readonly endpoints: Map<string, PublishedEndpoint>
  readonly sum: { -readonly [Field in keyof EndpointsSum]: EndpointsSum[Field] }
}

interface PublishedEndpoint {
  readonly endpoint: Endpoint
  readonly bytes: Bytes
}

/** The slices of a Service. The cost of a change depends only on the changed endpoints, not on the others. */
interface PublishedSlices {
  readonly all: ReadonlyMap<string, PublishedSlice>
  /** Number of endpoints in all slices. */
  readonly endpoints: number
  /** Returns the names of the slices with endpoints of a Pod: one per address type. */
  of(pod: string): readonly string[]
  /**
   * Sets the endpoints of the slice.
   * @param pods replace only the endpoints of these. Default: all
   */
  put(slice: EndpointSlice, pods?: Iterable<string>): PublishedSlice
  delete(name: string): void
}

export function createPublishedSlices(sizes: SliceSizes): PublishedSlices {
  const slices = new Map<string, PublishedSlice>()
  const places = new Map<string, string[]>()
  let count = 0

  /** Adds an endpoint. An existing one keeps its position, as in a plan. */
  function add(slice: PublishedSlice, pod: string, endpoint: Endpoint): void {
    const before = slice.endpoints.get(pod)
    const bytes = sizes.endpoint(endpoint)
    slice.endpoints.set(pod, { endpoint, bytes })
    tally(slice.sum, bytes, 1)
    if (before !== undefined) {
      tally(slice.sum, before.bytes, -1)
      return
    }
    count++
    const names = places.get(pod)
    if (names === undefined) places.set(pod, [nameOf(slice.head)])
    else names.push(nameOf(slice.head))
  }

  function remove(slice: PublishedSlice, pod: string): void {
    const before = slice.endpoints.get(pod)
    if (before === undefined) return
    slice.endpoints.delete(pod)
    tally(slice.sum, before.bytes, -1)
    count--
    const names = (places.get(pod) ?? []).filter((name) => name !== nameOf(slice.head))
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
      const slice = slices.get(name) ?? { head, endpoints: new Map(), sum: { ...NO_ENDPOINTS } }
      slices.set(name, slice)
      slice.head = head
      const given = byPod(endpoints)
      for (const pod of pods ?? [...slice.endpoints.keys()])
        if (pods === undefined || !given.has(pod)) remove(slice, pod)
      for (const [pod, endpoint] of given) add(slice, pod, endpoint)
      return slice
    },
    delete(name) {
      const slice = slices.get(name)
      if (slice === undefined) return
      for (const pod of [...slice.endpoints.keys()]) remove(slice, pod)
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
function tally(sum: PublishedSlice['sum'], { protobuf, json }: Bytes, times: 1 | -1): void {
  sum.count += times
  sum.protobuf += times * protobuf
  sum.json += times * json
}

export const nameOf = ({ metadata }: Pick<EndpointSlice, 'metadata'>): string => metadata?.name ?? ''

/** Returns the slice in the form of the API. */
export const wholeSlice = ({ head, endpoints }: PublishedSlice): EndpointSlice => ({
  ...head,
  endpoints: Array.from(endpoints.values(), ({ endpoint }) => endpoint),
})
