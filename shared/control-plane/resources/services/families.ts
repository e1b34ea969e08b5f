import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { familyOf, type IpFamily } from '../../apimachinery/validation/ip.ts'
import { hasClusterIp, isExternallyAccessible, isHeadless, NONE, specOf, typeOf } from './spec.ts'

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

/**
 * Fills in IP families and their policy, for a cluster with these families, the primary one first:
 * 1. the families of addresses that are given;
 * 2. a headless Service without a selector gets every family;
 * 3. else one family, the cluster's primary one, and a second where the policy asks for it and the cluster
 *    has it.
 */
export function setFamilies(service: KubeObject, cluster: readonly IpFamily[]): void {
  const spec: JsonObject = { ...specOf(service) }
  if (!hasClusterIp(spec)) return
  const families = familiesOfAddresses(spec)
  if (isHeadless(spec) && spec.selector === undefined) {
    spec.ipFamilyPolicy ??= 'RequireDualStack'
    if (families.length === 0) families.push(...both(cluster))
    if (spec.ipFamilyPolicy === 'SingleStack' && stringsAt(spec, 'ipFamilies').length === 0)
      families.splice(1)
  } else {
    spec.ipFamilyPolicy ??= 'SingleStack'
    if (families.length === 0) families.push(cluster[0] ?? 'IPv4')
  }
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1)
    families.push(...second(families[0], cluster, spec))
  spec.ipFamilies = families
  service.spec = spec
}

function familiesOfAddresses(spec: JsonObject): string[] {
  const given = stringsAt(spec, 'ipFamilies')
  const addresses = stringsAt(spec, 'clusterIPs').filter((address) => address !== NONE)
  const inferred = addresses.slice(given.length).flatMap((address) => familyOf(address) ?? [])
  return [...given, ...inferred]
}

function both(cluster: readonly IpFamily[]): IpFamily[] {
  const primary = cluster[0] ?? 'IPv4'
  return [primary, primary === 'IPv4' ? 'IPv6' : 'IPv4']
}

/** Returns the second family; a headless Service needs no address, so the cluster may lack its family. */
function second(first: string | undefined, cluster: readonly IpFamily[], spec: JsonObject): IpFamily[] {
  const other: IpFamily = first === 'IPv4' ? 'IPv6' : 'IPv4'
  const anyway = stringAt(spec, 'clusterIP') === NONE && spec.selector === undefined
  return cluster.includes(other) || anyway ? [other] : []
}
