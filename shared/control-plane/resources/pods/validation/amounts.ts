import { labelKey } from '../../../../kubernetes/index.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt } from '../../../apimachinery/json/values.ts'
import { Quantity } from '../../../apimachinery/quantity/quantity.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'

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
export function validateResources(resources: Field): void {
  const limits = amountsOf(resources.object, 'limits')
  const requests = amountsOf(resources.object, 'requests')
  const names = [...limits.keys(), ...requests.keys()]
  for (const [name, amount] of limits) validateAmount(resources.child('limits').key(name), name, amount)
  for (const [name, amount] of requests) {
    validateAmount(resources.child('requests').key(name), name, amount)
    validateLimit(resources, name, amount, limits.get(name))
  }
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory'))
    resources.forbidden('HugePages require cpu or memory')
}

function amountsOf(resources: JsonObject, member: string): Map<string, Quantity> {
  const amounts = Object.entries(objectAt(resources, member))
  return new Map(amounts.map(([name, amount]) => [name, Quantity.parse(String(amount))]))
}

function validateAmount(field: Field, name: string, amount: Quantity): void {
  const shown = amount.toString()
  validateName(field.with(name), name)
  if (amount.isNegative) field.invalid('must be greater than or equal to 0', shown)
  if (isExtended(name) && !amount.isInteger) field.invalid('must be an integer', shown)
}

function validateName(field: Field, name: string): void {
  const isRight = field.follows(labelKey)
  if (name.includes('/')) {
    if (!isNative(name) && !isExtended(name)) field.invalid("doesn't follow extended resource name standard")
    return
  }
  if (OF_CONTAINERS.has(name) || isHugePages(name)) return
  if (isRight && !STANDARD.has(name)) field.invalid('must be a standard resource type or fully qualified')
  field.invalid('must be a standard resource for containers')
}

function validateLimit(resources: Field, name: string, amount: Quantity, limit: Quantity | undefined): void {
  if (limit === undefined) {
    if (!isOvercommitted(name))
      resources.child('limits').required('Limit must be set for non overcommitable resources')
    return
  }
  const order = amount.compare(limit)
  const must = isOvercommitted(name) ? order > 0 && 'less than or equal to' : order !== 0 && 'equal to'
  if (must !== false)
    resources.child('requests').invalid(`must be ${must} ${name} limit of ${limit}`, amount.toString())
}
