import type { BlockList } from 'node:net'
import {
  type EndpointSlice,
  type EndpointSource,
  type Endpoints,
  type Pod,
  parseIp,
  type Service,
  type SkippedObject,
  type SourceEndpoint,
} from '../../../endpointslice/index.ts'
import { blockListOf, NO_RANGES, SPECIAL } from '../../../settings/index.ts'
import { commaSeparated } from '../../../values/index.ts'
import type { PodsAndNodes } from '../../read/endpoint-parts.ts'
import { publishable, withoutAddresses } from '../../read/pod-addresses.ts'
import type { ServiceEvent } from '../../service-events.ts'
import type { Guard, GuardInput } from '../guard.ts'
import { embeddedIPv4 } from './embedded-ipv4.ts'
import { SPECIAL_RANGES } from './special-ranges.ts'

export interface AddressFilter {
  /** Moves refused addresses to what is skipped. Those of a source are removed once it is asked. */
  filter(endpoints: PodsAndNodes): PodsAndNodes
  /** Returns the Pod without its refused addresses. */
  filterPod(pod: Pod): Pod
  /** Removes the refused addresses of Endpoints, and says what was skipped. */
  filterEndpoints(endpoints: Endpoints): {
    readonly endpoints: Endpoints
    readonly skipped: readonly SkippedObject[]
  }
  /** Returns the slice without its refused addresses; the slice itself where it has none. */
  filterSlice(slice: EndpointSlice): EndpointSlice
  /** Returns the range that refuses the address, or that refuses an IPv4 address that it stands for. */
  rangeOf(address: string): string | undefined
}

/** @param setting `refusedAddresses`, already checked */
export function createAddressFilter(setting: string): AddressFilter {
  const items = commaSeparated(setting)
  const ranges = items.includes(NO_RANGES)
    ? []
    : [...new Set([...SPECIAL_RANGES, ...items.filter((item) => item !== SPECIAL)])]
  const all = blockListOf(ranges)
  // Made when the first address is refused: hardly any is.
  let each: readonly { readonly range: string; readonly list: BlockList }[] | undefined

  function rangeOf(address: string): string | undefined {
    const ip = parseIp(address)
    if (ip === undefined) return undefined
    if (ip.type === 'IPv4') return rangeIn(ip.text, 'ipv4')
    const ranges = embeddedIPv4(ip.text).map((embedded) => rangeIn(embedded, 'ipv4'))
    return rangeIn(ip.text, 'ipv6') ?? ranges.find((range) => range !== undefined)
  }

  function rangeIn(address: string, family: 'ipv4' | 'ipv6'): string | undefined {
    if (!all.check(address, family)) return undefined
    each ??= ranges.map((range) => ({ range, list: blockListOf([range]) }))
    return each.find(({ list }) => list.check(address, family))?.range
  }

  function problemOf(address: string): string | undefined {
    const range = rangeOf(address)
    return range && `is in ${range}, which is refused`
  }

  function filterSource(source: EndpointSource): EndpointSource {
    return {
      ...source,
      *endpoints(service, skip) {
        for (const endpoint of source.endpoints(service, skip)) yield* filterEndpoint(endpoint, service, skip)
      },
    }
  }

  function filterEndpoint(
    endpoint: SourceEndpoint,
    { metadata }: Service,
    skip: (object: SkippedObject) => void,
  ): SourceEndpoint[] {
    const { namespace = '', name = '' } = metadata ?? {}
    const allowed = endpoint.addresses.filter(
      publishable({ kind: 'Service', namespace, name }, problemOf, skip),
    )
    if (allowed.length === endpoint.addresses.length) return [endpoint]
    return allowed.length === 0 ? [] : [{ ...endpoint, addresses: allowed }]
  }

  function filterEndpoints(endpoints: Endpoints): ReturnType<AddressFilter['filterEndpoints']> {
    const { namespace = '', name = '' } = endpoints.metadata ?? {}
    const skipped: SkippedObject[] = []
    const ofEndpoints = { kind: 'Endpoints', namespace, name } as const
    const isPublishable = publishable(ofEndpoints, problemOf, (one) => skipped.push(one))
    const isAllowed = ({ ip }: { readonly ip: unknown }): boolean => isPublishable(ip)
    const subsets = (endpoints.subsets ?? []).map((subset) => ({
      ...subset,
      addresses: (subset.addresses ?? []).filter(isAllowed),
      notReadyAddresses: (subset.notReadyAddresses ?? []).filter(isAllowed),
    }))
    return skipped.length === 0 ? { endpoints, skipped } : { endpoints: { ...endpoints, subsets }, skipped }
  }

  function filterSlice(slice: EndpointSlice): EndpointSlice {
    const isRefused = (address: string): boolean => rangeOf(address) !== undefined
    if (!slice.endpoints?.some(({ addresses }) => addresses.some(isRefused))) return slice
    const endpoints = slice.endpoints.flatMap((endpoint) => {
      const addresses = endpoint.addresses.filter((address) => !isRefused(address))
      return addresses.length === 0 ? [] : [{ ...endpoint, addresses }]
    })
    return { ...slice, endpoints }
  }

  return {
    filterSlice,
    filterPod: (pod) => withoutAddresses(pod, problemOf, () => undefined),
    filterEndpoints,
    filter({ pods, source, skipped, ...others }) {
      const refusals: SkippedObject[] = []
      const filtered = pods.map((pod) => withoutAddresses(pod, problemOf, (one) => refusals.push(one)))
      return {
        ...others,
        pods: filtered,
        ...(source && { source: filterSource(source) }),
        skipped: [...skipped, ...refusals],
      }
    },
    rangeOf,
  }
}

/** Reports the addresses that a plan leaves out: the filter took them out before it was made. */
export const REFUSED_GUARD: Guard<'RefusedAddress'> = {
  name: 'refused',
  events: {
    RefusedAddress:
      'addresses are left out: they are in `refusedAddresses`, or in no range of `allowedNetworks`',
  },
  check({ planned }) {
    const refused = planned.skipped.filter(({ reason }) => reason === 'RefusedAddress')
    return refused.length === 0 ? undefined : { count: refused.length, events: [refusedEvent(refused)] }
  },
  metric: {
    name: 'sliceflow_refused_addresses',
    type: 'gauge',
    help: 'Addresses that are left out because they are in a refused range',
  },
}

/** Names the first by name, so that the same addresses are one Event. */
function refusedEvent(refused: GuardInput['planned']['skipped']): ServiceEvent<'RefusedAddress'> {
  const [first] = refused
    .map(({ kind, namespace, name, message }) => `${kind} ${namespace}/${name}: ${message}`)
    .sort()
  const message = `addresses are left out of the slices, among them that of ${first}; see the settings refusedAddresses and allowedNetworks`
  return { type: 'Warning', reason: 'RefusedAddress', message }
}
