import {
  addressTypesOf,
  type Endpoint,
  type EndpointSlice,
  isPodTerminal,
  type Pod,
  type Service,
  type SkippedObject,
} from '../../endpointslice/index.ts'
import { type Cause, endpointKey, type Removal } from '../../recording/index.ts'
import { slicesAfter, slicesByName } from '../guards/published/published-addresses.ts'
import type { Changes } from '../slice-changes.ts'

/** The facts that a plan was made of. They say why endpoints went. */
export type PlanBasis =
  /** `NotNamed` for all endpoints of a plan of no Pods. */
  { readonly kind: 'ServiceDeleted' | 'ServiceUnmanaged' | 'ClusterUnreachable' | 'NotNamed' } | PlannedBasis

interface PlannedBasis {
  readonly kind: 'plan'
  readonly service: Service
  /** The Pods that were read; none for a Service that names addresses itself. */
  readonly pods: readonly Pod[]
  /** Pods that the Service selects among those of a hinted sync. Absent: it selects all of them. */
  readonly selected?: readonly Pod[]
  readonly skipped: readonly SkippedObject[]
}

type PodFinder = (name: string) => Pod | undefined

type RemovalCauseOf = (endpoint: Endpoint, slice: EndpointSlice) => Omit<Removal, 'endpoint'>

/**
 * Creates a function that says why an endpoint goes. The first of these that is so:
 * 1. Another slice of the Service has the endpoint.
 * 2. The whole Service is given up, or the cluster of its Pods is, or its endpoints are of no Pods.
 * 3. The Service has no addresses of this type any more.
 * 4. Something happened to its Pod.
 * Only few endpoints are asked about.
 * @param before the slices as they were read
 */
export function createRemovalCauses(
  before: readonly EndpointSlice[],
  changes: Changes,
  basis: PlanBasis,
): RemovalCauseOf {
  let places: ReadonlyMap<string, readonly string[]> | undefined
  const podNamed = podFinder(basis)
  return (endpoint, slice) => {
    // 1.
    places ??= placesIn(slicesAfter(slicesByName(before), changes).values())
    const to = places.get(placeKey(slice, endpoint))?.find((name) => name !== slice.metadata?.name)
    if (to !== undefined) return { cause: 'Moved', to }
    // 2.
    if (basis.kind !== 'plan') return { cause: basis.kind }
    // 3.
    const types: readonly string[] = addressTypesOf(basis.service)
    if (!types.includes(slice.addressType)) return { cause: 'AddressTypeDropped' }
    // 4.
    return { cause: causeIn(basis, endpoint, podNamed) }
  }
}

/** Returns the names of the slices that have an endpoint, by the endpoint's key. */
function placesIn(slices: Iterable<EndpointSlice>): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>()
  for (const slice of slices)
    for (const endpoint of slice.endpoints ?? []) {
      const key = placeKey(slice, endpoint)
      const names = places.get(key) ?? []
      names.push(slice.metadata?.name ?? '')
      places.set(key, names)
    }
  return places
}

const placeKey = ({ addressType }: EndpointSlice, endpoint: Endpoint): string =>
  `${addressType} ${endpointKey(endpoint)}`

/** Finds the Pods of a plan by name, of as many as a large Service has. */
export function podFinder(basis: PlanBasis): PodFinder {
  let byName: Map<string, Pod> | undefined
  return (name) => {
    byName ??= new Map(basis.kind === 'plan' ? basis.pods.map((pod) => [pod.metadata?.name ?? '', pod]) : [])
    return byName.get(name)
  }
}

function causeIn({ selected, skipped }: PlannedBasis, { targetRef }: Endpoint, podNamed: PodFinder): Cause {
  if (targetRef?.name === undefined) return 'NotNamed'
  const { name, uid } = targetRef
  const pod = podNamed(name)
  if (pod === undefined) return selected === undefined ? 'Gone' : 'Deleted'
  if (pod.metadata?.uid !== uid) return 'Replaced'
  if (selected?.includes(pod) === false) return 'NotSelected'
  const omitted = skipped.find((object) => object.kind === 'Pod' && object.name === name)
  if (omitted !== undefined) return omitted.reason
  if (isPodTerminal(pod)) return 'Terminal'
  return pod.status?.podIP ? 'AddressChanged' : 'NoAddress'
}
