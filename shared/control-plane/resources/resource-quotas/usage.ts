import { objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { Quantity } from '../../apimachinery/quantity/quantity.ts'
import { evaluatorOf } from './evaluators/index.ts'
import { masked, type ResourceList, resourceListAt, sum } from './resource-list.ts'
import { scopeSelectorsOf } from './scopes.ts'

/** The objects of a resource in one namespace. */
export interface CountedResource {
  /** Name such as `pods` or `databases.example.org`. */
  readonly resource: string
  list(): readonly KubeObject[]
}

/**
 * Computes what the objects of a namespace use of the limits of a quota (upstream's CalculateUsage). Limits
 * of resources that are not served are left out. `now` is in milliseconds since 1970.
 */
export function usageOf(quota: KubeObject, resources: readonly CountedResource[], now: number): ResourceList {
  const hard = resourceListAt(objectAt(quota, 'spec'), 'hard')
  const selectors = scopeSelectorsOf(quota)
  let usage: ResourceList = new Map()
  for (const { resource, list } of resources) {
    const evaluator = evaluatorOf(resource)
    const names = evaluator?.matching(hard.keys()) ?? []
    if (evaluator === undefined || names.length === 0) continue
    const nothing = new Map(names.map((name) => [name, Quantity.zero]))
    // Objects of most resources need only be counted: they are in no scope, and there may be many.
    const own = evaluator.uniform
      ? new Map(names.map((name) => [name, Quantity.of(selectors.length > 0 ? 0 : list().length)]))
      : list()
          .filter((object) => selectors.every((selector) => evaluator.inScope(selector, object)))
          .reduce<ResourceList>(
            (total, object) => sum(total, masked(evaluator.usage(object, now), names)),
            nothing,
          )
    usage = sum(usage, own)
  }
  return usage
}
