import { labelKey, labelName, labelValue, subdomainName } from '../../../../kubernetes/index.ts'
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { labelSelectorErrors } from '../../admission-registration/matching/label-selector.ts'
import { presentAt } from './checks.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** Validates where a pod wants to run, and beside what (upstream: validateAffinity). */
export function affinityErrors(spec: JsonObject): FieldError[] {
  const affinity = presentAt(spec, 'affinity')
  if (!affinity) return []
  const nodes = presentAt(affinity, 'nodeAffinity')
  return [
    ...(nodes ? nodeAffinityErrors(nodes, 'spec.affinity.nodeAffinity') : []),
    ...['podAffinity', 'podAntiAffinity'].flatMap((member) => {
      const pods = presentAt(affinity, member)
      return pods ? podAffinityErrors(pods, `spec.affinity.${member}`) : []
    }),
  ]
}

function nodeAffinityErrors(affinity: JsonObject, at: string): FieldError[] {
  const selector = presentAt(affinity, REQUIRED)
  const list = `${at}.${REQUIRED}.nodeSelectorTerms`
  const terms = objectsAt(selector, 'nodeSelectorTerms')
  return [
    ...(selector && terms.length === 0 ? [required(list, 'must have at least one node selector term')] : []),
    ...terms.flatMap((term, index) => termErrors(term, `${list}[${index}]`, true)),
    ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
      const field = `${at}.${PREFERRED}[${index}]`
      const preference = presentAt(term, 'preference') ?? {}
      return [...weightErrors(term, field), ...termErrors(preference, `${field}.preference`, false)]
    }),
  ]
}

function termErrors(term: JsonObject, at: string, checksValues: boolean): FieldError[] {
  return [
    ...objectsAt(term, 'matchExpressions').flatMap((one, index) =>
      expressionErrors(one, `${at}.matchExpressions[${index}]`, checksValues),
    ),
    ...objectsAt(term, 'matchFields').flatMap((one, index) =>
      fieldErrors(one, `${at}.matchFields[${index}]`),
    ),
  ]
}

function expressionErrors(one: JsonObject, at: string, checksValues: boolean): FieldError[] {
  const [key, values] = [stringAt(one, 'key'), stringsAt(one, 'values')]
  const wrong = values.flatMap((value, index) =>
    labelValue(value).map((text) => invalidValue(`${at}.values[${index}]`, value, text)),
  )
  return [
    ...operatorErrors(stringAt(one, 'operator'), values.length, at),
    ...labelKey(key).map((text) => invalidValue(`${at}.key`, key, text)),
    ...(checksValues ? wrong : []),
  ]
}

function operatorErrors(operator: string, values: number, at: string): FieldError[] {
  const needs = (why: string, isMet: boolean) => (isMet ? [] : [required(`${at}.values`, why)])
  switch (operator) {
    case 'In':
    case 'NotIn':
      return needs("must be specified when `operator` is 'In' or 'NotIn'", values > 0)
    case 'Exists':
    case 'DoesNotExist': {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      return values > 0 ? [forbiddenField(`${at}.values`, why)] : []
    }
    case 'Gt':
    case 'Lt':
      return needs("must be specified single value when `operator` is 'Lt' or 'Gt'", values === 1)
    default:
      return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]
  }
}

/** Validates a field selector. The name of a node is the only field. */
function fieldErrors(one: JsonObject, at: string): FieldError[] {
  const [key, operator, values] = [stringAt(one, 'key'), stringAt(one, 'operator'), stringsAt(one, 'values')]
  const isIn = operator === 'In' || operator === 'NotIn'
  const oneValue = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
  return [
    ...(isIn ? [] : [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]),
    ...(isIn && values.length !== 1 ? [required(`${at}.values`, oneValue)] : []),
    ...(key === 'metadata.name'
      ? values.flatMap((value, index) =>
          subdomainName(value).map((text) => invalidValue(`${at}.values[${index}]`, value, text)),
        )
      : [invalidValue(`${at}.key`, key, 'not a valid field selector key')]),
  ]
}

function podAffinityErrors(affinity: JsonObject, at: string): FieldError[] {
  return [
    ...objectsAt(affinity, REQUIRED).flatMap((term, index) =>
      podTermErrors(term, `${at}.${REQUIRED}[${index}]`),
    ),
    ...objectsAt(affinity, PREFERRED).flatMap((weighted, index) => {
      const field = `${at}.${PREFERRED}[${index}]`
      const term = presentAt(weighted, 'podAffinityTerm') ?? {}
      return [...weightErrors(weighted, field), ...podTermErrors(term, `${field}.podAffinityTerm`)]
    }),
  ]
}

function podTermErrors(term: JsonObject, at: string): FieldError[] {
  const key = stringAt(term, 'topologyKey')
  return [
    ...labelSelectorErrors(term.labelSelector, `${at}.labelSelector`),
    ...labelSelectorErrors(term.namespaceSelector, `${at}.namespaceSelector`),
    ...stringsAt(term, 'namespaces').flatMap((name) =>
      labelName(name).map((text) => invalidValue(`${at}.namespace`, name, text)),
    ),
    ...labelKeysErrors(term, at, ['matchLabelKeys', 'mismatchLabelKeys']),
    ...(key === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...labelKey(key).map((text) => invalidValue(`${at}.topologyKey`, key, text)),
  ]
}

/** Validates keys whose values the pod's labels add to the selector, which must be there. */
export function labelKeysErrors(term: JsonObject, at: string, members: readonly string[]): FieldError[] {
  if (presentAt(term, 'labelSelector')) return []
  return members
    .filter((member) => stringsAt(term, member).length > 0)
    .map((member) => forbiddenField(`${at}.${member}`, 'must not be specified when labelSelector is not set'))
}

function weightErrors(term: JsonObject, at: string): FieldError[] {
  const weight = numberAt(term, 'weight') ?? 0
  return weight >= 1 && weight <= 100
    ? []
    : [invalidValue(`${at}.weight`, weight, 'must be in the range 1-100')]
}
