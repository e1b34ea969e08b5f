import { PortResolver } from '../endpoints/ports.ts'
import { type PublishedPod, type PublishedPods, podKey } from '../endpoints/published-pods.ts'
import { parseIp } from '../objects/ip-address.ts'
import type { Named, SkippedObject } from '../objects/validate.ts'
import type { AddressType, EndpointPort, Service } from '../types.ts'

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'
const FQDN = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\\.?$`)

/** Source of the endpoints of a Service if it is not the pods of its own cluster (KEP-3685). */
export interface EndpointSource {
  /** Address types to plan; slices of others are removed. Default: the Service's, see addressTypesOf(). */
  readonly addressTypes?: readonly AddressType[]
  /**
   * Yields all endpoints, in any order; of those with the same addresses, hostname and target one is
   * published. Addresses of types that are not planned are passed over.
   * @param skip to be called with every object that has to be left out
   */
  endpoints(service: Named<Service>, skip: (object: SkippedObject) => void): Iterable<SourceEndpoint>
}

export interface SourceEndpoint {
  /** IP addresses of one or both families, or domain names. */
  readonly addresses: readonly string[]
  /** Default: the Service's ports that have a number to lead to; only pods can resolve the name of a port. */
  readonly ports?: readonly EndpointPort[]
  /** Default true. */
  readonly ready?: boolean
  /** Default: as `ready`. */
  readonly serving?: boolean
  /** Default false. */
  readonly terminating?: boolean
  readonly hostname?: string | undefined
  /** A node of the cluster that the slices are in. */
  readonly nodeName?: string | undefined
  readonly zone?: string | undefined
  /** Object that the endpoint refers to; must exist in the slices' cluster. Default: nothing. */
  readonly targetRef?: {
    readonly kind: string
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
  }
}

/** Returns the endpoints of a source as they are published; malformed addresses are added to `skipped`. */
export function publishedFrom(
  source: EndpointSource,
  service: Named<Service>,
  skipped: SkippedObject[],
): PublishedPods {
  const resolver = new PortResolver(service)
  const pods: PublishedPod[] = []
  for (const endpoint of source.endpoints(service, (object) => skipped.push(object))) {
    const { targetRef, ports, ready = true } = endpoint
    const { kind = '', namespace = '', name = '', uid } = targetRef ?? {}
    pods.push({
      key: podKey(namespace, name, service.metadata.namespace ?? ''),
      kind,
      namespace,
      name,
      uid,
      portSet: ports === undefined ? resolver.portSetOf({}) : resolver.intern(ports),
      nodeName: endpoint.nodeName || undefined,
      zone: endpoint.zone || undefined,
      hostname: endpoint.hostname || undefined,
      ready,
      serving: endpoint.serving ?? ready,
      terminating: endpoint.terminating ?? false,
      addresses: addressesOf(endpoint, service, skipped),
    })
  }
  return { pods, portSets: resolver.portSets }
}

function addressesOf(
  { addresses }: SourceEndpoint,
  service: Named<Service>,
  skipped: SkippedObject[],
): Record<AddressType, readonly string[]> {
  const found: Record<AddressType, string[]> = { IPv4: [], IPv6: [], FQDN: [] }
  for (const text of addresses) {
    const ip = parseIp(text)
    if (ip !== undefined) found[ip.type].push(ip.text)
    else if (isFqdn(text)) found.FQDN.push(text)
    else skipped.push(malformedAddress(service, text))
  }
  for (const list of Object.values(found)) list.sort()
  return found
}

function malformedAddress({ metadata }: Named<Service>, address: string): SkippedObject {
  const { namespace = '', name } = metadata
  const message = `the source's address ${JSON.stringify(address)} is neither an IP address nor a domain name`
  return { kind: 'Service', namespace, name, reason: 'Malformed', message }
}

/** Reports whether a text is a lower-case domain name of two labels or more, as in slices of type FQDN. */
const isFqdn = (text: string): boolean => text.length <= 253 && FQDN.test(text)
