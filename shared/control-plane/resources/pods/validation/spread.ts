import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import { labelSelectorErrors } from '../../admission-registration/matching/label-selector.ts'
import { labelKeysErrors } from './affinity.ts'
import { oneOfIfAny } from './checks.ts'

const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway']
const POLICIES = ['Honor', 'Ignore']
const POSITIVE = 'must be greater than zero'

/** Validates how pods are to be spread over nodes (upstream: validateTopologySpreadConstraints). */
export function spreadErrors(spec: JsonObject): FieldError[] {
  const constraints = objectsAt(spec, 'topologySpreadConstraints')
  return constraints.flatMap((constraint, index) => {
    const at = `spec.topologySpreadConstraints[${index}]`
    return [
      ...placeErrors(constraint, at),
      ...repeatErrors(constraint, constraints.slice(index + 1), at),
      ...domainErrors(constraint, at),
      ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].flatMap((member) =>
        oneOfIfAny(`${at}.${member}`, constraint[member], POLICIES),
      ),
      ...labelKeysErrors(constraint, at, ['matchLabelKeys']),
      ...labelSelectorErrors(constraint.labelSelector, `${at}.labelSelector`),
    ]
  })
}

function placeErrors(constraint: JsonObject, at: string): FieldError[] {
  const skew = numberAt(constraint, 'maxSkew') ?? 0
  const unsatisfiable = stringAt(constraint, 'whenUnsatisfiable')
  return [
    ...(skew > 0 ? [] : [invalidValue(`${at}.maxSkew`, skew, POSITIVE)]),
    ...(stringAt(constraint, 'topologyKey') === ''
      ? [required(`${at}.topologyKey`, 'can not be empty')]
      : []),
    ...(UNSATISFIABLE.includes(unsatisfiable)
      ? []
      : [notSupported(`${at}.whenUnsatisfiable`, unsatisfiable, UNSATISFIABLE)]),
  ]
}

function repeatErrors(constraint: JsonObject, later: readonly JsonObject[], at: string): FieldError[] {
  const pair = pairOf(constraint)
  const isRepeated = later.some((other) => pairOf(other) === pair)
  return isRepeated ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair)] : []
}

const pairOf = (constraint: JsonObject): string =>
  `{${stringAt(constraint, 'topologyKey')}, ${stringAt(constraint, 'whenUnsatisfiable')}}`

function domainErrors(constraint: JsonObject, at: string): FieldError[] {
  const domains = numberAt(constraint, 'minDomains')
  if (domains === undefined) return []
  const unsatisfiable = stringAt(constraint, 'whenUnsatisfiable')
  const only = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${unsatisfiable}`
  return [
    ...(domains > 0 ? [] : [invalidValue(`${at}.minDomains`, domains, POSITIVE)]),
    ...(unsatisfiable === 'DoNotSchedule' ? [] : [invalidValue(`${at}.minDomains`, domains, only)]),
  ]
}
