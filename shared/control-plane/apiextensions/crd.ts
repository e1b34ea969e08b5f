import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import { type KubeObject, timestamp } from '../apimachinery/objects.ts'

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

export function conditionOf(crd: KubeObject, type: Condition['type']): JsonObject | undefined {
  return objectsAt(statusOf(crd), 'conditions').find((condition) => condition.type === type)
}

export function isTrue(crd: KubeObject, type: Condition['type']): boolean {
  return conditionOf(crd, type)?.status === 'True'
}

/** Returns the object with the condition. Its time changes only with its status. */
export function withCondition(crd: KubeObject, condition: Condition, now: number): KubeObject {
  const status = statusOf(crd)
  const conditions = objectsAt(status, 'conditions')
  const before = conditionOf(crd, condition.type)
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime
      ? before.lastTransitionTime
      : timestamp(now)
  const { generation } = crd.metadata
  const { type, status: value, reason, message } = condition
  const made: JsonObject = {
    type,
    status: value,
    ...(before?.observedGeneration === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime,
    reason,
    message,
  }
  const next = before
    ? conditions.map((known) => (known.type === condition.type ? made : known))
    : [...conditions, made]
  return { ...crd, status: { ...status, conditions: next } }
}
