import { stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { annotationsOf, type KubeObject } from '../../apimachinery/objects.ts'
import { ipWarnings } from '../../apimachinery/validation/ip.ts'
import { isHeadless, specOf, typeOf } from './spec.ts'

const HINTS = 'service.kubernetes.io/topology-aware-hints'
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'

/** Warns of a valid Service that may be a mistake (upstream: pkg/api/service/warnings.go). */
export function serviceWarnings(service: KubeObject): string[] {
  const spec = specOf(service)
  const isHeadlessService = typeOf(spec) === 'ClusterIP' && isHeadless(spec)
  const external = stringsAt(spec, 'externalIPs')
  const balancer = stringAt(spec, 'loadBalancerIP')
  return [
    ...when(
      HINTS in annotationsOf(service),
      `annotation ${HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`,
    ),
    ...(isHeadless(spec) ? [] : listed('spec.clusterIPs', stringsAt(spec, 'clusterIPs'))),
    ...(isHeadlessService ? ignoredOfHeadless(service) : []),
    ...listed('spec.externalIPs', external),
    ...when(
      external.length > 0 && !isHeadlessService && typeOf(spec) !== 'ExternalName',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...ipWarnings('spec.loadBalancerIP', balancer),
    ...ofType(service),
    ...when(
      spec.trafficDistribution === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ]
}

function ignoredOfHeadless(service: KubeObject): string[] {
  const spec = specOf(service)
  const ignored = {
    loadBalancerIP: stringAt(spec, 'loadBalancerIP') !== '',
    externalIPs: stringsAt(spec, 'externalIPs').length > 0,
    SessionAffinity: stringAt(spec, 'sessionAffinity') !== 'None',
  }
  return Object.entries(ignored).flatMap(([member, set]) =>
    when(set, `spec.${member} is ignored for headless services`),
  )
}

function ofType(service: KubeObject): string[] {
  const spec = specOf(service)
  if (typeOf(spec) === 'ExternalName') {
    const isSet = stringsAt(spec, 'externalIPs').length > 0
    return when(isSet, 'spec.externalIPs is ignored when spec.type is "ExternalName"')
  }
  const isSet = stringAt(spec, 'externalName') !== ''
  return when(isSet, 'spec.externalName is ignored when spec.type is not "ExternalName"')
}

function listed(field: string, addresses: readonly string[]): string[] {
  return addresses.flatMap((address, index) => ipWarnings(`${field}[${index}]`, address))
}

function when(condition: boolean, text: string): string[] {
  return condition ? [text] : []
}
