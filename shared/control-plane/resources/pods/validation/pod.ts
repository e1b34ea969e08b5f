import { duplicate, type FieldError, invalidValue, notSupported } from '../../../apimachinery/errors/index.ts'
import {
  integerAt,
  type JsonObject,
  objectAt,
  objectsAt,
  stringAt,
} from '../../../apimachinery/json/index.ts'
import { type KubeObject, stringMap } from '../../../apimachinery/objects.ts'
import { labelKey, labelMapErrors, labelName, subdomainName } from '../../../apimachinery/validation/index.ts'
import { affinityErrors } from './affinity.ts'
import { oneOf, presentAt, ruled } from './checks.ts'
import { containerErrors, hostNetworkErrors, initContainerErrors } from './containers.ts'
import { dnsErrors, hostAliasErrors } from './names.ts'
import { podSecurityErrors } from './security.ts'
import { spreadErrors } from './spread.ts'
import { tolerationErrors } from './tolerations.ts'
import { volumesOf } from './volumes.ts'

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const SYSTEMS = ['linux', 'windows']
const LONGEST_DEADLINE = 2 ** 31 - 1

/**
 * Validates as upstream's ValidatePodSpec does, in its order. Rare kinds of volumes, overheads, claims and
 * Windows are not checked.
 */
export function podErrors(pod: KubeObject): FieldError[] {
  const spec = objectAt(pod, 'spec')
  const volumes = volumesOf(spec)
  return [
    ...volumes.errors,
    ...containerErrors(spec, volumes.names),
    ...initContainerErrors(spec, volumes.names),
    ...hostNetworkErrors(spec),
    ...oneOf('spec.restartPolicy', spec.restartPolicy, RESTART_POLICIES),
    ...oneOf('spec.dnsPolicy', spec.dnsPolicy, DNS_POLICIES),
    ...labelMapErrors('spec.nodeSelector', stringMap(spec.nodeSelector)),
    ...podSecurityErrors(spec),
    ...affinityErrors(spec),
    ...dnsErrors(spec),
    ...gateErrors(spec),
    ...spreadErrors(spec),
    ...ruled('spec.nodeName', stringAt(spec, 'nodeName'), subdomainName),
    ...durationErrors(spec),
    ...ruled('spec.hostname', stringAt(spec, 'hostname'), labelName),
    ...ruled('spec.subdomain', stringAt(spec, 'subdomain'), labelName),
    ...tolerationErrors(spec),
    ...hostAliasErrors(spec),
    ...systemErrors(spec),
  ]
}

/** Validates what a pod waits for before it is ready, and before it is scheduled. */
function gateErrors(spec: JsonObject): FieldError[] {
  const names = new Set<string>()
  return [
    ...objectsAt(spec, 'readinessGates').flatMap((gate, index) => {
      const type = stringAt(gate, 'conditionType')
      const field = `spec.readinessGates[${index}].conditionType`
      return labelKey(type).map((text) => invalidValue(field, type, text))
    }),
    ...objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
      const field = `spec.schedulingGates[${index}]`
      const name = stringAt(gate, 'name')
      const repeated = names.has(name) ? [duplicate(field, name)] : []
      names.add(name)
      return [...labelKey(name).map((text) => invalidValue(field, name, text)), ...repeated]
    }),
  ]
}

function durationErrors(spec: JsonObject): FieldError[] {
  const deadline = integerAt(spec, 'activeDeadlineSeconds')
  const grace = integerAt(spec, 'terminationGracePeriodSeconds') ?? 0
  const range = `must be between 1 and ${LONGEST_DEADLINE}, inclusive`
  const inRange = deadline === undefined || (deadline >= 1 && deadline <= LONGEST_DEADLINE)
  return [
    ...(inRange ? [] : [invalidValue('spec.activeDeadlineSeconds', deadline, range)]),
    ...(grace < 0
      ? [invalidValue('spec.terminationGracePeriodSeconds', grace, 'must be greater than or equal to 0')]
      : []),
  ]
}

function systemErrors(spec: JsonObject): FieldError[] {
  const system = presentAt(spec, 'os')
  const name = stringAt(system, 'name')
  return system && !SYSTEMS.includes(name) ? [notSupported('spec.os', name, SYSTEMS)] : []
}
