import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import {
  isObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
} from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { qosClassOf } from '../pods/defaults.ts'

/** One requirement of `spec.scopeSelector`. */
export interface ScopeSelector {
  readonly scopeName: string
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`. */
  readonly operator: string
  readonly values: readonly string[]
}

/** Returns all selectors that objects must meet to count in a quota. */
export function scopeSelectorsOf(quota: KubeObject): ScopeSelector[] {
  const spec = objectAt(quota, 'spec')
  return [
    ...stringsAt(spec, 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists', values: [] })),
    ...objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions').map((item) => ({
      scopeName: stringAt(item, 'scopeName'),
      operator: stringAt(item, 'operator'),
      values: stringsAt(item, 'values'),
    })),
  ]
}

/** Reports whether a pod may run for a limited time only. */
export function isTerminating(pod: KubeObject): boolean {
  return (numberAt(objectAt(pod, 'spec'), 'activeDeadlineSeconds') ?? -1) >= 0
}

export function podInScope(selector: ScopeSelector, pod: KubeObject): boolean {
  switch (selector.scopeName) {
    case 'Terminating':
      return isTerminating(pod)
    case 'NotTerminating':
      return !isTerminating(pod)
    case 'BestEffort':
      return qosClassOf(pod) === 'BestEffort'
    case 'NotBestEffort':
      return qosClassOf(pod) !== 'BestEffort'
    case 'PriorityClass':
      return hasPriorityClass(selector, stringAt(objectAt(pod, 'spec'), 'priorityClassName'))
    case 'CrossNamespacePodAffinity':
      return looksBeyondNamespace(objectAt(objectAt(pod, 'spec'), 'affinity'))
    default:
      return false
  }
}

function hasPriorityClass({ operator, values }: ScopeSelector, name: string): boolean {
  switch (operator) {
    case 'Exists':
      return name !== ''
    case 'DoesNotExist':
      return name === ''
    case 'In':
      return name !== '' && values.includes(name)
    case 'NotIn':
      return name === '' || !values.includes(name)
    default:
      return false
  }
}

function looksBeyondNamespace(affinity: JsonObject): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const part = objectAt(affinity, kind)
    const required = objectsAt(part, 'requiredDuringSchedulingIgnoredDuringExecution')
    const preferred = objectsAt(part, 'preferredDuringSchedulingIgnoredDuringExecution')
    const terms = [...required, ...preferred.map((item) => objectAt(item, 'podAffinityTerm'))]
    return terms.some((term) => listAt(term, 'namespaces').length > 0 || isObject(term.namespaceSelector))
  })
}
