import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
} from '../../apimachinery/json/index.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

export const NONE = 'None'

/** `spec` of a Service, to be read. */
export function specOf(service: KubeObject): JsonObject {
  return objectAt(service, 'spec')
}

export function typeOf(spec: JsonObject): string {
  return stringAt(spec, 'type')
}

/** Services of all types but ExternalName have a cluster IP, if only `None`. */
export function hasClusterIp(spec: JsonObject): boolean {
  return typeOf(spec) !== 'ExternalName'
}

export function hasNodePorts(spec: JsonObject): boolean {
  const type = typeOf(spec)
  return type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
}

/** Reached from outside of the cluster: node ports, load balancers, external addresses. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const type = typeOf(spec)
  return (
    type === 'LoadBalancer' ||
    type === 'NodePort' ||
    (type === 'ClusterIP' && stringsAt(spec, 'externalIPs').length > 0)
  )
}

export function needsHealthCheckPort(spec: JsonObject): boolean {
  return typeOf(spec) === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'
}

export function isHeadless(spec: JsonObject): boolean {
  return stringsAt(spec, 'clusterIPs')[0] === NONE || stringAt(spec, 'clusterIP') === NONE
}

/** Addresses that the Service holds in the cluster. */
export function heldAddresses(service: KubeObject | undefined): string[] {
  if (!service) return []
  return stringsAt(specOf(service), 'clusterIPs').filter((address) => address !== NONE)
}

/** Node ports that the Service holds, the one for health checks included. */
export function heldPorts(service: KubeObject | undefined): number[] {
  if (!service) return []
  const spec = specOf(service)
  const ports = objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0)
  return [...ports, numberAt(spec, 'healthCheckNodePort') ?? 0].filter((port) => port > 0)
}
