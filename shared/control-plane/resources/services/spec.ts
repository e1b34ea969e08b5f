import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

export const NONE = 'None'
/** Protocols of ports. */
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

/** Returns the `spec` of a Service, to be read. */
export function specOf(service: KubeObject): JsonObject {
  return objectAt(service, 'spec')
}

export function typeOf(spec: JsonObject): string {
  return stringAt(spec, 'type')
}

/** Reports whether a Service has a cluster IP, which may be `None`. All types but ExternalName have. */
export function hasClusterIp(spec: JsonObject): boolean {
  return typeOf(spec) !== 'ExternalName'
}

export function hasNodePorts(spec: JsonObject): boolean {
  const type = typeOf(spec)
  return type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
}

/** Whether it can be reached from outside: by node ports, load balancers or external addresses. */
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

/** Returns the addresses that the Service holds in the cluster. */
export function heldAddresses(service: KubeObject | undefined): string[] {
  if (!service) return []
  return stringsAt(specOf(service), 'clusterIPs').filter((address) => address !== NONE)
}

/** Returns the node ports that the Service holds, with the one for health checks. */
export function heldPorts(service: KubeObject | undefined): number[] {
  if (!service) return []
  const spec = specOf(service)
  const ports = objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0)
  return [...ports, numberAt(spec, 'healthCheckNodePort') ?? 0].filter((port) => port > 0)
}
