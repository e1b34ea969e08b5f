import { type JsonObject, objectAt, objectsAt } from '../../apimachinery/json/index.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { isExternallyAccessible, specOf, typeOf } from './spec.ts'

/** Time for which a client stays with an endpoint, in seconds. */
const AFFINITY_TIMEOUT = 10_800

/** Fills in what a Service leaves open (upstream: SetDefaults_Service). */
export function setServiceDefaults(service: KubeObject): void {
  const spec: JsonObject = { ...specOf(service) }
  spec.sessionAffinity ??= 'None'
  spec.type ??= 'ClusterIP'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP' && !hasTimeout(spec)) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_TIMEOUT } }
  }
  for (const port of objectsAt(spec, 'ports')) {
    port.protocol ??= 'TCP'
    if (port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= 'Cluster'
  if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(typeOf(spec)))
    spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true
    for (const ingress of objectsAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress')) {
      if (ingress.ip) ingress.ipMode ??= 'VIP'
    }
  }
  service.spec = spec
}

function hasTimeout(spec: JsonObject): boolean {
  return objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP').timeoutSeconds !== undefined
}
