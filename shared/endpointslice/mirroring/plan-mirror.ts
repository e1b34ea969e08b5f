import { portSetKey } from '../endpoints/ports.ts'
import { InvalidOptionError } from '../errors.ts'
import { copyJson } from '../objects/copy.ts'
import { parseIp } from '../objects/ip-address.ts'
import { isBeingDeleted } from '../objects/timestamps.ts'
import { addStats, NO_STATS, type PlanStats, type SlicePlan } from '../slice-plan.ts'
import type { AddressType, Endpoint, EndpointPort, EndpointSlice, Endpoints, Service } from '../types.ts'
import { MIRRORING_CONTROLLER } from '../well-known.ts'
import { isMirrored } from './is-mirrored.ts'
import { createMirrorMetadata, type MirrorMetadata } from './mirror-metadata.ts'
import { type EndpointAddress, repackSubsets } from './repack-subsets.ts'

export interface MirrorState {
  /** `undefined` where there are none: all slices go. */
  readonly endpoints: Endpoints | undefined
  /** The Service of their namespace and name; `undefined` for none. */
  readonly service: Service | undefined
  /** Slices labelled with the Service's name and this managed-by value. */
  readonly slices: readonly EndpointSlice[]
}

export interface MirrorOptions {
  /**
   * The most addresses of a subset that are mirrored; further ones are left out. Default 1000, as
   * `--mirroring-max-endpoints-per-subset`; 1 to 1000.
   */
  readonly maxEndpointsPerSubset?: number | undefined
  /** Default `endpointslicemirroring-controller.k8s.io`. */
  readonly managedBy?: string | undefined
  /** Names that a new slice must not have, beside those of the slices given. Default none. */
  readonly namesInUse?: ReadonlySet<string> | undefined
  /**
   * Reports which annotations the caller writes onto slices. They stay on a slice as they are, make no
   * difference, and are never copied from the Endpoints. Default none.
   */
  readonly isOwnAnnotation?: ((name: string) => boolean) | undefined
}

/** An event to be recorded on the Endpoints. */
export interface MirrorEvent {
  readonly type: 'Warning'
  readonly reason: 'InvalidIPAddress' | 'TooManyAddressesToMirror'
  readonly message: string
}

/** A plan of writes, for `apply`. */
export interface MirrorPlan extends Omit<SlicePlan, 'events' | 'skipped'> {
  readonly events: readonly MirrorEvent[]
}

const MAX_ENDPOINTS = 1000

/** The slice that a subset's addresses of one family are mirrored into. */
interface Wanted {
  readonly addressType: AddressType
  readonly ports: readonly EndpointPort[]
  /** Endpoints by their identity. */
  readonly endpoints: Map<string, Endpoint>
}

/**
 * Works out what to write so that slices mirror Endpoints, as the in-tree endpointslicemirroring-controller
 * of Kubernetes 1.36 does, apart from names. Pure and deterministic; the input is never changed.
 *
 * 1. Subsets are brought into their canonical form, and cut off at the limit.
 * 2. Each has a slice for each family of its addresses: the first one that is there, or a new one.
 * 3. Other slices go, or take the place of new ones.
 *
 * Slices have the labels and annotations of the Endpoints, which own them. Addresses that are none, and those
 * beyond the limit, are in `events`.
 * @throws InvalidOptionError
 * @example
 * ```ts
 * const metadata = { name: 'db', namespace: 'shop', uid: 'u1' }
 * const endpoints = { metadata, subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 5432 }] }] }
 * planMirror({ endpoints, service: { metadata, spec: {} }, slices: [] }).create.length // => 1
 * ```
 */
export function planMirror(
  { endpoints, service, slices }: MirrorState,
  options: MirrorOptions = {},
): MirrorPlan {
  const { maxEndpointsPerSubset = MAX_ENDPOINTS, managedBy = MIRRORING_CONTROLLER, namesInUse } = options
  const { isOwnAnnotation = () => false } = options
  if (
    !Number.isInteger(maxEndpointsPerSubset) ||
    maxEndpointsPerSubset < 1 ||
    maxEndpointsPerSubset > MAX_ENDPOINTS
  )
    throw new InvalidOptionError('maxEndpointsPerSubset', 'an integer from 1 to 1000', maxEndpointsPerSubset)
  const alive = slices.filter(({ metadata }) => !isBeingDeleted(metadata))
  if (endpoints === undefined || !isMirrored(endpoints, service))
    return { ...NOTHING, delete: [...alive], stats: { ...NO_STATS, endpointsRemoved: countEndpoints(alive) } }
  // 1.
  const { wanted, events } = wantedSlices(endpoints, maxEndpointsPerSubset)
  const taken = new Set([...(namesInUse ?? []), ...slices.flatMap(({ metadata }) => metadata?.name ?? [])])
  const metadata = createMirrorMetadata(endpoints, { managedBy, taken, isOwnAnnotation })
  // 2.
  const byKey = Map.groupBy(alive, (slice) => keyOf(slice))
  const plan: MirrorPlan = { ...NOTHING, create: [], update: [], delete: [], events }
  const create: Wanted[] = []
  let stats: PlanStats = NO_STATS
  for (const one of wanted) {
    const [current, ...others] = byKey.get(keyOf(one)) ?? []
    byKey.delete(keyOf(one))
    plan.delete.push(...others)
    if (current === undefined) create.push(one)
    else if (!metadata.isCurrent(current) || !hasEndpoints(current, one))
      plan.update.push(sliceOf(one, metadata.forUpdate(current)))
    stats = addStats(stats, changesOf(one, current))
  }
  // 3.
  const gone = [...byKey.values()].flat()
  plan.delete.push(...gone)
  place(create, plan, { metadata, isGoing: isBeingDeleted(endpoints.metadata) })
  return { ...plan, stats: { ...stats, endpointsRemoved: stats.endpointsRemoved + countEndpoints(gone) } }
}

const NOTHING: MirrorPlan = { create: [], update: [], delete: [], events: [], stats: NO_STATS }

const keyOf = ({
  addressType,
  ports,
}: Pick<EndpointSlice, 'addressType'> & {
  readonly ports?: readonly EndpointPort[] | null | undefined
}): string => `${addressType} ${portSetKey(ports ?? [])}`

const countEndpoints = (slices: readonly EndpointSlice[]): number =>
  slices.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0)

/** Creates slices, or writes them in the place of those of their family that would go. */
function place(
  create: readonly Wanted[],
  plan: MirrorPlan,
  { metadata, isGoing }: { readonly metadata: MirrorMetadata; readonly isGoing: boolean },
): void {
  for (const one of create) {
    const at = plan.delete.findIndex(({ addressType }) => addressType === one.addressType)
    const [old] = at < 0 ? [] : plan.delete.splice(at, 1)
    if (old !== undefined) plan.update.push(sliceOf(one, metadata.forUpdate(old)))
    // The garbage collector removes slices of Endpoints that are being deleted; a new one might escape.
    else if (!isGoing) plan.create.push(sliceOf(one, metadata.forNew(keyOf(one))))
  }
}

function wantedSlices(
  endpoints: Endpoints,
  most: number,
): { readonly wanted: readonly Wanted[]; readonly events: MirrorEvent[] } {
  const wanted: Wanted[] = []
  let invalid = 0
  let beyond = 0
  for (const { ports, ready, notReady } of repackSubsets(endpoints.subsets)) {
    const families = FAMILIES.map((addressType): Wanted => ({ addressType, ports, endpoints: new Map() }))
    let added = 0
    for (const [address, isReady] of [...ready.map(READY), ...notReady.map(NOT_READY)]) {
      const ip = typeof address.ip === 'string' ? parseIp(address.ip) : undefined
      if (added >= most) beyond++
      else if (ip === undefined) invalid++
      else {
        const endpoint = endpointOf(address, ip.text, isReady)
        families
          .find(({ addressType }) => addressType === ip.type)
          ?.endpoints.set(identityOf(endpoint), endpoint)
        added++
      }
    }
    wanted.push(...families.filter((family) => family.endpoints.size > 0))
  }
  return { wanted, events: eventsOf({ invalid, beyond, most }) }
}

const FAMILIES: readonly AddressType[] = ['IPv4', 'IPv6']
const READY = (address: EndpointAddress) => [address, true] as const
const NOT_READY = (address: EndpointAddress) => [address, false] as const

function eventsOf({
  invalid,
  beyond,
  most,
}: Readonly<Record<'invalid' | 'beyond' | 'most', number>>): MirrorEvent[] {
  const tooMany = `${beyond} addresses are not mirrored into EndpointSlices: a subset may have ${most}`
  const none = `${invalid} addresses are not mirrored into EndpointSlices, because they are not IP addresses`
  return [
    ...(invalid > 0 ? [{ type: 'Warning', reason: 'InvalidIPAddress', message: none } as const] : []),
    ...(beyond > 0
      ? [{ type: 'Warning', reason: 'TooManyAddressesToMirror', message: tooMany } as const]
      : []),
  ]
}

const endpointOf = (
  { targetRef, nodeName, hostname }: EndpointAddress,
  ip: string,
  ready: boolean,
): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(targetRef && { targetRef: copyJson(targetRef) }),
  ...(typeof nodeName === 'string' && { nodeName }),
  ...(hostname && { hostname }),
})

/** Returns upstream's identity of an endpoint: whatever else differs is brought up to date in place. */
const identityOf = ({ addresses, hostname, targetRef }: Endpoint): string =>
  JSON.stringify([addresses.toSorted(), hostname ?? '', targetRef?.namespace ?? '', targetRef?.name ?? ''])

/** Returns all of an endpoint that counts; versions of its target do not. */
function contentOf({ conditions, nodeName, targetRef, ...endpoint }: Endpoint): string {
  const { kind, namespace, name, uid, apiVersion, fieldPath } = targetRef ?? {}
  const target = [kind, namespace, name, uid, apiVersion, fieldPath].map((part) => part ?? '')
  return JSON.stringify([identityOf(endpoint), conditions?.ready ?? null, nodeName ?? null, target])
}

function hasEndpoints({ endpoints }: EndpointSlice, { endpoints: wanted }: Wanted): boolean {
  const current = new Set((endpoints ?? []).map(contentOf))
  return (
    (endpoints?.length ?? 0) === wanted.size &&
    [...wanted.values()].every((one) => current.has(contentOf(one)))
  )
}

function changesOf({ endpoints: wanted }: Wanted, current: EndpointSlice | undefined): PlanStats {
  const known = new Set((current?.endpoints ?? []).map(identityOf))
  return {
    endpointsDesired: wanted.size,
    endpointsAdded: [...wanted.keys()].filter((key) => !known.has(key)).length,
    endpointsRemoved: [...known].filter((key) => !wanted.has(key)).length,
    slicesActual: 1,
    slicesDesired: 1,
  }
}

const sliceOf = (
  { addressType, ports, endpoints }: Wanted,
  metadata: EndpointSlice['metadata'],
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata,
  addressType,
  endpoints: [...endpoints.values()],
  ports: ports.map((port) => ({ ...port })),
})
