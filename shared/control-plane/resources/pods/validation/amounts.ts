import { labelKey } from '../../../../kubernetes/index.ts'
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt } from '../../../apimachinery/json/values.ts'
import { Quantity } from '../../../apimachinery/quantity/quantity.ts'

const OF_CONTAINERS = new Set(['cpu', 'memory', 'ephemeral-storage'])
/** Names without a domain that quotas know. */
const STANDARD = new Set(
  [
    'cpu memory ephemeral-storage storage requests.cpu requests.memory requests.ephemeral-storage requests.storage limits.cpu limits.memory',
    'limits.ephemeral-storage pods resourcequotas services services.nodeports services.loadbalancers replicationcontrollers secrets configmaps',
    'persistentvolumeclaims',
  ].flatMap((line) => line.split(' ')),
)

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')
const isExtended = (name: string): boolean => !isNative(name) && !name.startsWith('requests.')
/** Reports whether a node may promise more of a resource than it has. */
const isOvercommitted = (name: string): boolean => isNative(name) && !isHugePages(name)

/** Validates the requests and limits of a container (upstream: validateResourceRequirements). */
export function amountErrors(container: JsonObject, at: string): FieldError[] {
  const resources = objectAt(container, 'resources')
  const limits = amountsOf(resources, 'limits')
  const requests = amountsOf(resources, 'requests')
  const names = [...limits.keys(), ...requests.keys()]
  const isAlone = names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')
  return [
    ...[...limits].flatMap(([name, amount]) => oneErrors(name, amount, `${at}.resources.limits[${name}]`)),
    ...[...requests].flatMap(([name, amount]) => [
      ...oneErrors(name, amount, `${at}.resources.requests[${name}]`),
      ...limitErrors(name, amount, limits.get(name), `${at}.resources`),
    ]),
    ...(isAlone ? [forbiddenField(`${at}.resources`, 'HugePages require cpu or memory')] : []),
  ]
}

function amountsOf(resources: JsonObject, member: string): Map<string, Quantity> {
  const amounts = Object.entries(objectAt(resources, member))
  return new Map(amounts.map(([name, amount]) => [name, Quantity.parse(String(amount))]))
}

function oneErrors(name: string, amount: Quantity, field: string): FieldError[] {
  const shown = amount.toString()
  return [
    ...nameErrors(name, field),
    ...(amount.isNegative ? [invalidValue(field, shown, 'must be greater than or equal to 0')] : []),
    ...(isExtended(name) && !amount.isInteger ? [invalidValue(field, shown, 'must be an integer')] : []),
  ]
}

function nameErrors(name: string, field: string): FieldError[] {
  const malformed = labelKey(name).map((text) => invalidValue(field, name, text))
  if (name.includes('/')) {
    const isFollowed = isNative(name) || isExtended(name)
    const why = "doesn't follow extended resource name standard"
    return isFollowed ? malformed : [...malformed, invalidValue(field, name, why)]
  }
  if (OF_CONTAINERS.has(name) || isHugePages(name)) return malformed
  const isUnknown = malformed.length === 0 && !STANDARD.has(name)
  return [
    ...malformed,
    ...(isUnknown ? [invalidValue(field, name, 'must be a standard resource type or fully qualified')] : []),
    invalidValue(field, name, 'must be a standard resource for containers'),
  ]
}

function limitErrors(name: string, amount: Quantity, limit: Quantity | undefined, at: string): FieldError[] {
  if (limit === undefined) {
    const why = 'Limit must be set for non overcommitable resources'
    return isOvercommitted(name) ? [] : [required(`${at}.limits`, why)]
  }
  const order = amount.compare(limit)
  const must = isOvercommitted(name) ? order > 0 && 'less than or equal to' : order !== 0 && 'equal to'
  if (must === false) return []
  return [invalidValue(`${at}.requests`, amount.toString(), `must be ${must} ${name} limit of ${limit}`)]
}
