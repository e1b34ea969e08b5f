import { type JsonObject, jsonText, parseJson } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, sortedMembers, stringAt } from '../../apimachinery/json/values.ts'
import { difference, emptySet, type FieldSet } from './fields/field-set.ts'
import type { MapType } from './types/merge-type.ts'
import { compareObjects } from './values/compare.ts'
import { fieldsOf } from './values/object-fields.ts'

/** Annotation in which `kubectl apply` keeps what the client has applied. */
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
/** The manager whose applies take over from client-side apply. */
const KUBECTL = 'kubectl'

/**
 * Returns the fields that `kubectl apply --server-side` may take from any manager. The annotation shows that
 * client-side apply has set them, and they have not changed since.
 */
export function takenOver(live: JsonObject, manager: string, apiVersion: string, type: MapType): FieldSet {
  const configuration = manager === KUBECTL ? parsed(lastApplied(live)) : undefined
  if (!configuration || configuration.apiVersion !== apiVersion) return emptySet()
  const { changed, removed } = compareObjects(configuration, live, type)
  return difference(difference(fieldsOf(configuration, type), changed), removed)
}

/** Keeps kubectl's client-side apply annotation in step with its server-side applies, if there is one. */
export function withLastApplied(object: JsonObject, configuration: JsonObject, manager: string): JsonObject {
  if (manager !== KUBECTL || lastApplied(object) === '') return object
  const metadata = objectAt(object, 'metadata')
  const annotations = objectAt(metadata, 'annotations')
  const text = `${jsonText(sortedMembers(withoutAnnotation(configuration)))}\n`
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [ANNOTATION]: text } } }
}

function lastApplied(object: JsonObject): string {
  return stringAt(objectAt(objectAt(object, 'metadata'), 'annotations'), ANNOTATION)
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function withoutAnnotation(configuration: JsonObject): JsonObject {
  const metadata = objectAt(configuration, 'metadata')
  if (!isObject(metadata.annotations)) return configuration
  const { [ANNOTATION]: _own, ...annotations } = metadata.annotations
  return { ...configuration, metadata: { ...metadata, annotations } }
}
