import { integerOf, type JsonObject, numberOf } from './json/exact-numbers.ts'
import { isObject } from './json/values.ts'

/** `metadata` of an object as it stands in JSON. */
export interface ObjectMetadata extends JsonObject {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number | bigint
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number | bigint
}

/** Any Kubernetes object in its JSON form. Stored objects are never changed: a write makes a new one. */
export interface KubeObject extends JsonObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMetadata
}

/** Reports whether a value is a JSON object whose metadata, if any, is an object too. */
export function isKubeObject(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value.metadata)
}

/**
 * Returns the labels of an object; entries that are no strings are left out.
 * @example
 * ```ts
 * const metadata = { name: 'web', labels: { app: 'web' } }
 * labelsOf({ apiVersion: 'v1', kind: 'Pod', metadata }) // => { app: 'web' }
 * ```
 */
export function labelsOf(object: KubeObject): Record<string, string> {
  return stringMap(object.metadata.labels)
}

export function annotationsOf(object: KubeObject): Record<string, string> {
  return stringMap(object.metadata.annotations)
}

export function finalizersOf(object: KubeObject): string[] {
  const value = object.metadata.finalizers
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function stringMap(value: unknown): Record<string, string> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Adds one to a `metadata.generation`, which overflows as Go's int64 does. */
export function nextGeneration(generation: number | bigint = 0): number | bigint {
  if (typeof generation === 'number') return numberOf(String(generation + 1))
  return integerOf(BigInt.asIntN(64, generation + 1n))
}

/** Formats a time as the API does: RFC 3339, UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}
