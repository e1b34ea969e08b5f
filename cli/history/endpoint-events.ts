import type { Endpoint } from '../../shared/endpointslice/index.ts'
import {
  type Alteration,
  endpointChanges,
  type Removal,
  type ReplayedSlice,
  type SnapshotRecord,
  type WriteRecord,
} from '../../shared/recording/index.ts'
import type { Changed, EndpointEvent, Left, Moved, Present } from './entry.ts'

type PodVersions = WriteRecord['pods']

/**
 * Lists what a write did to endpoints: what went, changed and came, in this order.
 * @param others what the Service's other slices of the same address type and ports have: none of that is new
 */
export function eventsOfWrite(
  { came, went, changed, pods }: Pick<WriteRecord, 'came' | 'went' | 'changed' | 'pods'>,
  others: readonly ReplayedSlice[],
): EndpointEvent[] {
  return [
    ...went.map((departure) => departed(departure, pods)),
    ...changed.map((alteration) => altered(alteration, pods)),
    ...came.map((endpoint) => arrived(endpoint, others, pods)),
  ]
}

/** Lists how a slice that was read differs from what was known; all that it has, if nothing was. */
export function eventsOfSnapshot(
  { endpoints }: SnapshotRecord,
  known: ReplayedSlice | undefined,
): EndpointEvent[] {
  if (known === undefined) return endpoints.map((endpoint) => present('Found', endpoint))
  const { came, went, changed } = endpointChanges(known.endpoints, endpoints)
  return [
    ...went.map(taken),
    ...changed.map((alteration) => altered(alteration)),
    ...came.map((endpoint) => present('Came', endpoint)),
  ]
}

/** Makes the event of an endpoint that another client removed. */
export const taken = (endpoint: Endpoint): Left => ({ event: 'Left', ...identify(endpoint) })

function departed({ endpoint, cause, to }: Removal, pods: PodVersions): Left | Moved {
  const of = identify(endpoint, pods)
  if (cause !== 'Moved') return { event: 'Left', ...of, cause }
  return { event: 'Moved', ...of, to }
}

function arrived(endpoint: Endpoint, others: readonly ReplayedSlice[], pods: PodVersions): Present | Moved {
  const other = others.find(({ endpoints }) => endpoints.some((one) => isSameObject(one, endpoint)))
  if (other === undefined) return present('Came', endpoint, pods)
  return { event: 'Moved', ...identify(endpoint, pods), from: other.slice }
}

function altered({ addresses, target, from, to }: Alteration, pods: PodVersions = {}): Changed {
  // What is of no Pod has nothing that changes by itself, so a target is one.
  return { event: 'Changed', addresses, ...podOf(target, pods), from, to }
}

const present = (event: Present['event'], endpoint: Endpoint, pods: PodVersions = {}): Present => ({
  event,
  ...identify(endpoint, pods),
  // Unknown counts as ready, as for all consumers of slices.
  ready: endpoint.conditions?.ready !== false,
})

const identify = ({ addresses, targetRef }: Endpoint, pods?: PodVersions): Identity => ({
  addresses,
  ...(targetRef?.kind === 'Pod' && podOf(targetRef.name, pods)),
})

type Identity = Pick<EndpointEvent, 'addresses' | 'pod' | 'podVersion'>

function podOf(pod: string | undefined, pods: PodVersions = {}): Omit<Identity, 'addresses'> {
  if (pod === undefined) return {}
  return { pod, ...(Object.hasOwn(pods, pod) && { podVersion: pods[pod] }) }
}

/** Reports whether two endpoints are of the same object, however it has changed in between. */
const isSameObject = (one: Endpoint, other: Endpoint): boolean =>
  one.targetRef?.name === other.targetRef?.name &&
  one.addresses.length === other.addresses.length &&
  one.addresses.every((address, index) => address === other.addresses[index])
