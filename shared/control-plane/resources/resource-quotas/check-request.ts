import { objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Evaluator } from './evaluators/index.ts'
import { growth, masked, type ResourceList, resourceListAt, sum } from './resource-list.ts'
import { scopeSelectorsOf } from './scopes.ts'

/** Operation of a request, with its object. */
interface Demand {
  readonly object: KubeObject
  /** Undefined for a creation. */
  readonly old: KubeObject | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Charge {
  readonly quota: KubeObject
  /** `status.used` with the request. */
  readonly used: ResourceList
}

/** Refusal by a quota, with upstream's text. */
export class QuotaRefusal extends Error {
  override readonly name = 'QuotaRefusal'
}

/**
 * Returns what quotas are to be charged for a request (upstream's CheckRequest). A quota whose status no
 * controller has filled in yet limits nothing.
 * @throws QuotaRefusal if a quota does not allow the request
 */
export function chargesFor(quotas: readonly KubeObject[], evaluator: Evaluator, demand: Demand): Charge[] {
  const matching = quotas.filter((quota) => matches(quota, evaluator, demand.object))
  for (const quota of matching) checkFitness(quota, evaluator, demand.object)
  return matching.flatMap((quota) => chargeOf(quota, evaluator, demand) ?? [])
}

const hardOf = (quota: KubeObject): ResourceList => resourceListAt(objectAt(quota, 'status'), 'hard')
const usedOf = (quota: KubeObject): ResourceList => resourceListAt(objectAt(quota, 'status'), 'used')

/** Reports whether an object counts in a quota. */
function matches(quota: KubeObject, evaluator: Evaluator, object: KubeObject): boolean {
  return (
    evaluator.matching(hardOf(quota).keys()).length > 0 &&
    scopeSelectorsOf(quota).every((selector) => evaluator.inScope(selector, object))
  )
}

function checkFitness(quota: KubeObject, evaluator: Evaluator, object: KubeObject): void {
  const { name = '' } = quota.metadata
  const limited = evaluator.matching(hardOf(quota).keys())
  const missing = evaluator.constraint(limited, object)
  if (missing !== undefined) throw new QuotaRefusal(`failed quota: ${name}: ${missing}`)
  const used = usedOf(quota)
  if (limited.every((resource) => used.has(resource))) return
  throw new QuotaRefusal(`status unknown for quota: ${name}, resources: ${limited.join(',')}`)
}

function chargeOf(quota: KubeObject, evaluator: Evaluator, demand: Demand): Charge | undefined {
  const { object, old, now } = demand
  const before = old && matches(quota, evaluator, old) ? evaluator.usage(old, now) : new Map()
  const hard = hardOf(quota)
  const used = usedOf(quota)
  const requested = masked(growth(evaluator.usage(object, now), before), hard.keys())
  if (requested.size === 0) return undefined
  const after = sum(used, requested)
  const exceeded = [...requested.keys()].filter((name) => isAbove(after, hard, name))
  if (exceeded.length === 0) return { quota, used: after }
  const shown = (list: ResourceList) => pretty(masked(list, exceeded))
  throw new QuotaRefusal(
    `exceeded quota: ${quota.metadata.name}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
  )
}

function isAbove(after: ResourceList, hard: ResourceList, name: string): boolean {
  const [wanted, limit] = [after.get(name), hard.get(name)]
  return wanted !== undefined && limit !== undefined && wanted.compare(limit) > 0
}

function pretty(list: ResourceList): string {
  return [...list]
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(',')
}
