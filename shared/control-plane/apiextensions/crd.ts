import { conditionOf, withCondition as setCondition } from '../apimachinery/conditions.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'

export const GROUP = 'apiextensions.k8s.io'
export const RESOURCE = `customresourcedefinitions.${GROUP}`
/** Holds a deleted CustomResourceDefinition until its objects are gone. */
export const CLEANUP = `customresourcecleanup.${GROUP}`

/** `spec.names` or `status.acceptedNames`. */
export interface Names {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

export function namesAt(parent: JsonObject, member: 'names' | 'acceptedNames'): Names {
  const names = objectAt(parent, member)
  return {
    plural: stringAt(names, 'plural'),
    singular: stringAt(names, 'singular'),
    kind: stringAt(names, 'kind'),
    listKind: stringAt(names, 'listKind'),
    shortNames: stringsAt(names, 'shortNames'),
    categories: stringsAt(names, 'categories'),
  }
}

export const specOf = (crd: KubeObject): JsonObject => objectAt(crd, 'spec')
export const statusOf = (crd: KubeObject): JsonObject => objectAt(crd, 'status')
export const versionsOf = (crd: KubeObject): JsonObject[] => objectsAt(specOf(crd), 'versions')
export const storageVersionOf = (crd: KubeObject): string =>
  stringAt(
    versionsOf(crd).find(({ storage }) => storage === true),
    'name',
  )

/** One of `status.conditions`, without its time. */
export interface Condition {
  readonly type: 'NamesAccepted' | 'Established' | 'KubernetesAPIApprovalPolicyConformant' | 'Terminating'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

export function isTrue(crd: KubeObject, type: Condition['type']): boolean {
  return conditionOf(crd, type)?.status === 'True'
}

/** Returns the definition with the condition, of this generation where it was of one before. */
export function withCondition(crd: KubeObject, condition: Condition, now: number): KubeObject {
  const isCounted = conditionOf(crd, condition.type)?.observedGeneration !== undefined
  const { generation } = crd.metadata
  return setCondition(crd, { ...condition, ...(isCounted && { observedGeneration: generation }) }, now)
}
