import { BlockList } from 'node:net'
import {
  type EndpointSource,
  type Pod,
  parseIp,
  type Service,
  type SkippedObject,
  type SourceEndpoint,
} from '../../../shared/endpointslice/index.ts'
import { NO_RANGES, rangesOf, SPECIAL_RANGES } from '../../../shared/settings/index.ts'
import type { ReadEndpoints } from '../endpoint-reader.ts'

/**
 * Ranges that lead a consumer to itself or to its machine's neighbours, the cloud's metadata among them
 * (CVE-2021-25740: whoever may write endpoints may point a load balancer at them). The API server refuses a slice with
 * most of them, and with it the whole plan.
 */
const SPECIAL = [
  '0.0.0.0/32',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
]

export interface AddressFilter {
  /** Without the refused addresses, which are among the skipped; those of a source once it was asked. */
  filter(endpoints: ReadEndpoints): ReadEndpoints
  /** The range that refuses the address. */
  rangeOf(address: string): string | undefined
}

/** @param setting `refusedAddresses`, already checked */
export function createAddressFilter(setting: string): AddressFilter {
  const items = rangesOf(setting)
  const ranges = items.includes(NO_RANGES)
    ? []
    : [...new Set([...SPECIAL, ...items.filter((item) => item !== SPECIAL_RANGES)])]
  const all = blockListOf(ranges)
  const each = ranges.map((range) => ({ range, list: blockListOf([range]) }))

  function rangeOf(address: string): string | undefined {
    const ip = parseIp(address)
    if (ip === undefined) return undefined
    const family = ip.type === 'IPv4' ? 'ipv4' : 'ipv6'
    if (!all.check(ip.text, family)) return undefined
    return each.find(({ list }) => list.check(ip.text, family))?.range
  }

  function filterPod(pod: Pod, skipped: SkippedObject[]): Pod {
    const podIPs = pod.status?.podIPs
    if (!Array.isArray(podIPs) || !podIPs.some((entry) => refusal(entry?.ip) !== undefined)) return pod
    const { namespace = '', name = '' } = pod.metadata ?? {}
    const kept = podIPs.filter(({ ip }) => {
      const range = refusal(ip)
      if (range !== undefined) skipped.push(refused({ kind: 'Pod', namespace, name }, ip, range))
      return range === undefined
    })
    return { ...pod, status: { ...pod.status, podIP: kept[0]?.ip, podIPs: kept } }
  }

  /** Of anything that may stand there; what is no address is for the plan to complain of. */
  const refusal = (ip: unknown): string | undefined => (typeof ip === 'string' ? rangeOf(ip) : undefined)

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
    const kept = endpoint.addresses.filter((address) => {
      const range = rangeOf(address)
      if (range !== undefined) skip(refused({ kind: 'Service', namespace, name }, address, range))
      return range === undefined
    })
    if (kept.length === endpoint.addresses.length) return [endpoint]
    return kept.length === 0 ? [] : [{ ...endpoint, addresses: kept }]
  }

  return {
    filter({ pods, source, skipped, ...others }) {
      const refusals: SkippedObject[] = []
      const filtered = pods.map((pod) => filterPod(pod, refusals))
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

function refused(
  object: Pick<SkippedObject, 'kind' | 'namespace' | 'name'>,
  address: string,
  range: string,
): SkippedObject {
  const message = `its address ${address} is in ${range}, which is refused`
  return { ...object, reason: 'RefusedAddress', message }
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
