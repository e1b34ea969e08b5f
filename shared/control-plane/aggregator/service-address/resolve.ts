import { isIPv6 } from 'node:net'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { listAt, numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'

/** A port of a Service, as APIServices and webhook configurations name it. */
export interface ServicePortReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Address to connect to. */
export interface ServiceAddress {
  /** A host name or an IP address, without brackets. */
  readonly host: string
  readonly port: number
}

/** A Service that leads nowhere; the message is upstream's (apiserver/pkg/util/proxy). */
export class UnresolvedServiceError extends Error {
  override readonly name = 'UnresolvedServiceError'
}

const ROUTED = new Set(['ClusterIP', 'NodePort', 'LoadBalancer'])

/**
 * Returns the address that serves a port of a Service:
 * 1. for an ExternalName its name, with the port as it is;
 * 2. for any other a ready endpoint, as kube-apiserver does with `--enable-aggregator-routing`: the server
 *    may be where nothing routes cluster IPs. Endpoints of the Service's first IP family come first,
 *    otherwise it is a random one;
 * 3. for one without EndpointSlices its cluster IP, as kube-apiserver does by default.
 * Throws an UnresolvedServiceError if there is none.
 */
export function resolveService(objects: ObjectReader, reference: ServicePortReference): ServiceAddress {
  const { namespace, name, port } = reference
  const service = objects.get('services', namespace, name)
  if (!service) throw new UnresolvedServiceError(`service "${name}" not found`)
  const spec = objectAt(service, 'spec')
  const type = stringAt(spec, 'type')
  if (type === 'ExternalName') return { host: stringAt(spec, 'externalName'), port }
  if (!ROUTED.has(type)) throw new UnresolvedServiceError(`unsupported service type "${type}"`)
  const servicePort = objectsAt(spec, 'ports').find((candidate) => candidate.port === port)
  if (!servicePort) throw new UnresolvedServiceError(`no service port ${port} found for service "${name}"`)
  const slices = slicesOf(objects, reference)
  const [family] = stringsAt(spec, 'ipFamilies')
  const candidates = slices.flatMap((slice) => addressesOf(slice, stringAt(servicePort, 'name')))
  const preferred = candidates.filter(({ host }) => (isIPv6(host) ? 'IPv6' : 'IPv4') === family)
  const endpoint = anyOf(preferred) ?? anyOf(candidates)
  if (endpoint) return endpoint
  const host = stringAt(spec, 'clusterIP')
  if (slices.length > 0 || host === '')
    throw new UnresolvedServiceError(`no endpoints available for service "${name}"`)
  if (host === 'None') throw new UnresolvedServiceError('cannot route to service with ClusterIP "None"')
  return { host, port }
}

function slicesOf(objects: ObjectReader, { namespace, name }: ServicePortReference): KubeObject[] {
  return objects
    .list('endpointslices.discovery.k8s.io', namespace)
    .filter(({ metadata }) => stringAt(objectAt(metadata, 'labels'), 'kubernetes.io/service-name') === name)
}

/** Returns the first address of every ready endpoint, as upstream takes it, on the ports of that name. */
function addressesOf(slice: JsonObject, portName: string): ServiceAddress[] {
  const ports = objectsAt(slice, 'ports')
    .filter((port) => stringAt(port, 'name') === portName)
    .map((port) => numberAt(port, 'port'))
    .filter((port) => port !== undefined)
  const hosts = objectsAt(slice, 'endpoints')
    .filter((endpoint) => objectAt(endpoint, 'conditions').ready !== false)
    .map((endpoint) => listAt(endpoint, 'addresses')[0])
    .filter((address) => typeof address === 'string')
  return hosts.flatMap((host) => ports.map((port) => ({ host, port })))
}

function anyOf<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(Math.random() * items.length)]
}
