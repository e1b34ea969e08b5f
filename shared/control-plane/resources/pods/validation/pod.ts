import { labelKey, labelName, labelValue, subdomainName } from '../../../../kubernetes/index.ts'
import { duplicate, type FieldError, invalidValue, notSupported } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { integerAt, numberAt, objectAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import { type KubeObject, stringMap } from '../../../apimachinery/objects.ts'
import { labelMapErrors } from '../../../apimachinery/validation/metadata.ts'
import { affinityErrors } from './affinity.ts'
import { oneOf, oneOfIfAny, presentAt, ruled } from './checks.ts'
import { containerErrors, hostNetworkErrors, initContainerErrors } from './containers.ts'
import { dnsErrors, hostAliasErrors } from './names.ts'
import { podSecurityErrors } from './security.ts'
import { spreadErrors } from './spread.ts'
import { volumesOf } from './volumes.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const OPERATORS = ['Equal', 'Exists']
/** They are behind a disabled feature gate, and named only in the error for one of them. */
const COMPARISONS = ['Lt', 'Gt']
const NEEDS_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'

/** Validates which taints a pod tolerates (upstream: ValidateTolerations). */
function tolerationErrors(spec: JsonObject): FieldError[] {
  return objectsAt(spec, 'tolerations').flatMap((toleration, index) => {
    const at = `spec.tolerations[${index}]`
    const [key, operator, effect] = ['key', 'operator', 'effect'].map((name) => stringAt(toleration, name))
    const isTimed = numberAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute'
    const needsExecute = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    return [
      ...ruled(`${at}.key`, key ?? '', labelKey),
      ...(key === '' && operator !== 'Exists' ? [invalidValue(`${at}.operator`, operator, NEEDS_KEY)] : []),
      ...(isTimed ? [invalidValue(`${at}.effect`, effect, needsExecute)] : []),
      ...operatorErrors(operator ?? '', stringAt(toleration, 'value'), `${at}.operator`),
      ...oneOfIfAny(`${at}.effect`, effect || undefined, EFFECTS),
    ]
  })
}

function operatorErrors(operator: string, value: string, field: string): FieldError[] {
  if (operator === 'Exists') {
    const why = "value must be empty when `operator` is 'Exists'"
    return value === '' ? [] : [invalidValue(field, value, why)]
  }
  if (operator === '' || operator === 'Equal') {
    const wrong = labelValue(value)
    return wrong.length === 0 ? [] : [invalidValue(field, value, wrong.join(';'))]
  }
  const known = COMPARISONS.includes(operator) ? [...OPERATORS, ...COMPARISONS] : OPERATORS
  return [notSupported(field, operator, known)]
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const SYSTEMS = ['linux', 'windows']
const LONGEST_DEADLINE = 2 ** 31 - 1

/** Validates as ValidatePodSpec, in its order; no rare kinds of volumes, overheads, claims and Windows. */
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
  const range = `must be between 1 and ${LONGEST_DEADLINE}, inclusive`
  const inRange = deadline === undefined || (deadline >= 1 && deadline <= LONGEST_DEADLINE)
  return inRange ? [] : [invalidValue('spec.activeDeadlineSeconds', deadline, range)]
}

function systemErrors(spec: JsonObject): FieldError[] {
  const system = presentAt(spec, 'os')
  const name = stringAt(system, 'name')
  return system && !SYSTEMS.includes(name) ? [notSupported('spec.os', name, SYSTEMS)] : []
}
