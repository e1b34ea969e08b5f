import { labelKey } from '../../../kubernetes/index.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
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
export function validateQuota(quota: Field): void {
  const spec = quota.child('spec')
  validateAmounts(spec.child('hard'))
  validateScopes(spec)
  if (spec.child('scopeSelector').ifObject) validateSelector(spec)
}

export function validateQuotaUpdate(quota: Field, old: KubeObject): void {
  const scopes = quota.child('spec', 'scopes')
  const former = new Set(stringsAt(objectAt(old, 'spec'), 'scopes'))
  if (former.symmetricDifference(new Set(scopes.strings)).size > 0)
    scopes.invalid('field is immutable', scopes.strings)
}

export function validateQuotaStatus(quota: Field): void {
  validateAmounts(quota.child('status', 'hard'))
  validateAmounts(quota.child('status', 'used'))
}

function validateAmounts(amounts: Field): void {
  for (const [name, amount] of resourceListAt({ amounts: amounts.value }, 'amounts')) {
    const field = amounts.key(name)
    validateName(field, name)
    if (amount.isNegative) field.invalid('must be greater than or equal to 0', amount.toString())
    if (isCount(name) && !amount.isInteger) field.invalid('must be an integer', amount.toString())
  }
}

function validateName(field: Field, name: string): void {
  if (!field.with(name).follows(labelKey) || name.includes('/') || isStandard(name)) return
  field.invalid('must be a standard resource type or fully qualified', name)
  field.invalid('must be a standard resource for quota', name)
}

/** Whether a resource is counted in whole numbers: objects, and devices of domains not Kubernetes' own. */
function isCount(name: string): boolean {
  if (COUNTED.includes(name)) return true
  const [domain = '', ...path] = name.split('/')
  const isNative = path.length === 0 || domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io')
  return !isNative && !name.startsWith('requests.')
}

function validateScopes(spec: Field): void {
  const scopes = spec.child('scopes')
  for (const scope of scopes.strings) {
    if (!SCOPES.has(scope)) scopes.invalid('unsupported scope')
    for (const _ of unfit(spec.object, scope)) scopes.invalid('unsupported scope applied to resource')
  }
  if (isConflicting(scopes.strings)) scopes.invalid('conflicting scopes')
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

function validateSelector(spec: Field): void {
  const selector = spec.child('scopeSelector')
  const expressions = selector.child('matchExpressions')
  for (const expression of expressions.items()) {
    // Upstream's errors do not say which one.
    const requirement = expression.as(expressions.path)
    const name = requirement.child('scopeName')
    if (!SCOPES.has(name.text)) name.invalid('unsupported scope')
    for (const _ of unfit(spec.object, name.text))
      requirement.invalid('unsupported scope applied to resource', goSelector(selector.object))
    validateOperator(requirement, name.text)
  }
  if (isConflicting(expressions.items().map((item) => item.child('scopeName').text)))
    expressions.invalid('conflicting scopes', null)
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

function validateOperator(requirement: Field, scope: string): void {
  const [operator, values] = [requirement.child('operator'), requirement.child('values')]
  if (EXISTS_ONLY.has(scope) && operator.text !== 'Exists') operator.invalid(MUST_EXIST, operator.text)
  if (operator.text === 'In' || operator.text === 'NotIn') {
    values.notEmpty("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")
  } else if (operator.text === 'Exists' || operator.text === 'DoesNotExist') {
    if (values.list.length > 0)
      values.invalid("must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")
  } else {
    operator.invalid('not a valid selector operator', operator.text)
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
