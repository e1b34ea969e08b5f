import { labelKey } from '../../../kubernetes/index.ts'
import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { resourceListAt } from './resource-list.ts'

const COMPUTE = ['cpu', 'memory']
const COUNTED = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
]
const STANDARD: ReadonlySet<string> = new Set([
  ...COUNTED,
  ...[...COMPUTE, 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  'requests.storage',
])
const POD_COMPUTE = COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`])
const CONFLICTING = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]
/** Resources that each scope may limit. */
const SCOPES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    BestEffort: ['pods'],
    NotBestEffort: ['pods', ...POD_COMPUTE],
    Terminating: ['pods', ...POD_COMPUTE],
    NotTerminating: ['pods', ...POD_COMPUTE],
    PriorityClass: ['pods', ...POD_COMPUTE],
    CrossNamespacePodAffinity: ['pods', ...POD_COMPUTE],
    VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
  }).map(([scope, names]) => [scope, new Set(names)]),
)
const EXISTS_ONLY = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
])

const isStandard = (name: string): boolean => STANDARD.has(name) || /^(requests\.)?hugepages-/.test(name)

/** Validates a quota as upstream's ValidateResourceQuota does. */
export function quotaErrors(quota: KubeObject): FieldError[] {
  const spec = objectAt(quota, 'spec')
  return [
    ...amountErrors(spec, 'spec.hard', 'hard'),
    ...scopeErrors(spec),
    ...(isObject(spec.scopeSelector) ? selectorErrors(spec, spec.scopeSelector) : []),
  ]
}

export function quotaUpdateErrors(quota: KubeObject, old: KubeObject): FieldError[] {
  const scopes = stringsAt(objectAt(quota, 'spec'), 'scopes')
  const former = stringsAt(objectAt(old, 'spec'), 'scopes')
  const isSame =
    scopes.every((scope) => former.includes(scope)) && former.every((scope) => scopes.includes(scope))
  return isSame ? [] : [invalidValue('spec.scopes', scopes, 'field is immutable')]
}

export function quotaStatusErrors(quota: KubeObject): FieldError[] {
  const status = objectAt(quota, 'status')
  return [...amountErrors(status, 'status.hard', 'hard'), ...amountErrors(status, 'status.used', 'used')]
}

function amountErrors(parent: JsonObject, at: string, member: string): FieldError[] {
  return [...resourceListAt(parent, member)].flatMap(([name, amount]) => {
    const where = `${at}[${name}]`
    return [
      ...nameErrors(name, where),
      ...(amount.isNegative
        ? [invalidValue(where, amount.toString(), 'must be greater than or equal to 0')]
        : []),
      ...(isCount(name) && !amount.isInteger
        ? [invalidValue(where, amount.toString(), 'must be an integer')]
        : []),
    ]
  })
}

function nameErrors(name: string, at: string): FieldError[] {
  const qualified = labelKey(name)
  if (qualified.length > 0) return qualified.map((text) => invalidValue(at, name, text))
  if (name.includes('/') || isStandard(name)) return []
  return [
    invalidValue(at, name, 'must be a standard resource type or fully qualified'),
    invalidValue(at, name, 'must be a standard resource for quota'),
  ]
}

/** Whether a resource is counted in whole numbers: objects, and devices of domains not Kubernetes' own. */
function isCount(name: string): boolean {
  if (COUNTED.includes(name)) return true
  const [domain = '', ...path] = name.split('/')
  const isNative = path.length === 0 || domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io')
  return !isNative && !name.startsWith('requests.')
}

function scopeErrors(spec: JsonObject): FieldError[] {
  const scopes = stringsAt(spec, 'scopes')
  const at = 'spec.scopes'
  return [
    ...scopes.flatMap((scope) => [
      ...(SCOPES.has(scope) ? [] : [invalidValue(at, scopes, 'unsupported scope')]),
      ...unfit(spec, scope).map(() => invalidValue(at, scopes, 'unsupported scope applied to resource')),
    ]),
    ...(isConflicting(scopes) ? [invalidValue(at, scopes, 'conflicting scopes')] : []),
  ]
}

/** Limits that a scope has nothing to do with. */
function unfit(spec: JsonObject, scope: string): string[] {
  const allowed = SCOPES.get(scope)
  return [...resourceListAt(spec, 'hard').keys()].filter(
    (name) => isStandard(name) && allowed !== undefined && !allowed.has(name),
  )
}

const isConflicting = (scopes: readonly string[]): boolean =>
  CONFLICTING.some((pair) => pair.every((scope) => scopes.includes(scope)))

function selectorErrors(spec: JsonObject, selector: JsonObject): FieldError[] {
  const at = 'spec.scopeSelector.matchExpressions'
  const expressions = objectsAt(selector, 'matchExpressions')
  const names = expressions.map((item) => stringAt(item, 'scopeName'))
  return [
    ...expressions.flatMap((item) => [
      ...(SCOPES.has(stringAt(item, 'scopeName'))
        ? []
        : [invalidValue(`${at}.scopeName`, item.scopeName, 'unsupported scope')]),
      ...unfit(spec, stringAt(item, 'scopeName')).map(() =>
        invalidValue(at, goSelector(selector), 'unsupported scope applied to resource'),
      ),
      ...operatorErrors(item, at),
    ]),
    ...(isConflicting(names) ? [invalidValue(at, null, 'conflicting scopes')] : []),
  ]
}

function operatorErrors(item: JsonObject, at: string): FieldError[] {
  const operator = stringAt(item, 'operator')
  const values = stringsAt(item, 'values')
  const mustExist = EXISTS_ONLY.has(stringAt(item, 'scopeName')) && operator !== 'Exists'
  return [
    ...(mustExist
      ? [
          invalidValue(
            `${at}.operator`,
            operator,
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
          ),
        ]
      : []),
    ...valuesErrors(operator, values, at),
  ]
}

function valuesErrors(operator: string, values: string[], at: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [
            required(
              `${at}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [
            invalidValue(
              `${at}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ]
    default:
      return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]
  }
}

/** Returns a selector as upstream's errors show it: its internal form, with the Go names of fields. */
function goSelector(selector: JsonObject): JsonObject {
  return {
    MatchExpressions: objectsAt(selector, 'matchExpressions').map((item) => ({
      ScopeName: stringAt(item, 'scopeName'),
      Operator: stringAt(item, 'operator'),
      Values: Array.isArray(item.values) ? item.values : null,
    })),
  }
}
