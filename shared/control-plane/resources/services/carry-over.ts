import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectsAt, sameJson, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import {
  hasClusterIp,
  hasNodePorts,
  isExternallyAccessible,
  needsHealthCheckPort,
  specOf,
  typeOf,
} from './spec.ts'

/** Makes `clusterIP` and the first of `clusterIPs` the same if a client has set only one of them. */
export function normalizeClusterIps(service: KubeObject, old: KubeObject | undefined): void {
  const spec = { ...specOf(service) }
  if (old) agreeWithFormer(spec, specOf(old))
  else if (stringAt(spec, 'clusterIP') !== '' && stringsAt(spec, 'clusterIPs').length === 0) {
    spec.clusterIPs = [stringAt(spec, 'clusterIP')]
  }
  service.spec = spec
}

/** Takes the one that differs from before, as it is the one that the client has set. */
function agreeWithFormer(spec: JsonObject, before: JsonObject): void {
  const address = stringAt(spec, 'clusterIP')
  const list = stringsAt(spec, 'clusterIPs')
  const sameList = sameJson(list, stringsAt(before, 'clusterIPs'))
  const sameAddress = address === stringAt(before, 'clusterIP')
  if (!sameAddress && (sameList || list.length === 0)) {
    if (address === '') delete spec.clusterIPs
    else spec.clusterIPs = [address]
  } else if (sameAddress && !sameList) {
    if (list.length === 0) delete spec.clusterIP
    else spec.clusterIP = list[0]
  }
}

/** Keeps what the server has allocated if an update leaves it out. */
export function keepAllocated(service: KubeObject, old: KubeObject): void {
  const spec = { ...specOf(service) }
  const before = specOf(old)
  if (hasClusterIp(spec) && hasClusterIp(before)) {
    if (stringAt(spec, 'clusterIP') === '') spec.clusterIP = before.clusterIP
    if (stringsAt(spec, 'clusterIPs').length === 0 && spec.clusterIP === before.clusterIP) {
      spec.clusterIPs = before.clusterIPs
    }
  }
  if (hasNodePorts(spec) && hasNodePorts(before)) spec.ports = withFormerNodePorts(spec, before)
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before)) {
    spec.healthCheckNodePort ??= before.healthCheckNodePort
  }
  service.spec = spec
}

function withFormerNodePorts(spec: JsonObject, before: JsonObject): JsonObject[] {
  const used = new Set(objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort')))
  return objectsAt(spec, 'ports').map((port) => {
    if (numberAt(port, 'nodePort')) return port
    const former = objectsAt(before, 'ports').find(
      (candidate) => candidate.port === port.port && candidate.protocol === port.protocol,
    )
    const nodePort = numberAt(former, 'nodePort')
    return nodePort && !used.has(nodePort) ? { ...port, nodePort } : port
  })
}

/** Drops the fields that only the former type has, unless the update changes them too. */
export function dropFormerFields(service: KubeObject, old: KubeObject): void {
  const spec = { ...specOf(service) }
  const before = specOf(old)
  const drop = (field: string): void => {
    if (sameJson(spec[field], before[field])) delete spec[field]
  }
  if (hasClusterIp(before) && !hasClusterIp(spec)) {
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'])
      drop(field)
  }
  if (hasNodePorts(before) && !hasNodePorts(spec)) spec.ports = withoutFormerNodePorts(spec, before)
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) drop('healthCheckNodePort')
  if (typeOf(before) === 'LoadBalancer' && typeOf(spec) !== 'LoadBalancer') {
    for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) drop(field)
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec)) drop('externalTrafficPolicy')
  service.spec = spec
}

function withoutFormerNodePorts(spec: JsonObject, before: JsonObject): JsonObject[] {
  const former = new Set(objectsAt(before, 'ports').map((port) => numberAt(port, 'nodePort')))
  return objectsAt(spec, 'ports').map(({ nodePort, ...port }) =>
    typeof nodePort === 'number' && !former.has(nodePort) ? { ...port, nodePort } : port,
  )
}

/** Drops the second address and family of a Service that goes back to one, unless named again. */
export function trimDowngrade(service: KubeObject, old: KubeObject): void {
  const spec = { ...specOf(service) }
  const before = specOf(old)
  const downgraded =
    before.ipFamilyPolicy !== undefined &&
    before.ipFamilyPolicy !== 'SingleStack' &&
    spec.ipFamilyPolicy === 'SingleStack'
  if (!downgraded) return
  for (const field of ['clusterIPs', 'ipFamilies']) {
    const list = stringsAt(spec, field)
    if (list.length === 2 && sameJson(list, stringsAt(before, field))) spec[field] = list.slice(0, 1)
  }
  service.spec = spec
}
