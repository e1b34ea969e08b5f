import { aggregate } from '../../apimachinery/errors/field.ts'
import { type JsonObject, type JsonValue, jsonText } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { Field } from '../../apimachinery/validation/field.ts'
import { validateAnnotations, validateLabels } from '../../apimachinery/validation/metadata.ts'
import { goValueName } from '../../apiserver/schema/go-types.ts'
import { goTypeOf } from '../go-type.ts'

/**
 * Returns the object of a webhook, with what it may change: kind, name, namespace and uid must be the same,
 * and of metadata only labels and annotations are taken. Throws with kube-apiserver's text, which names the
 * review only where upstream's does.
 * @param review `conversion webhook for <group>/<version>, Kind=<kind>`
 */
export function checkedObject(
  original: KubeObject,
  converted: JsonValue,
  apiVersion: string,
  review: string,
): KubeObject {
  const object = asObject(converted)
  checkType(original, object, apiVersion, review)
  for (const [field, member] of IDENTITY) {
    const [wanted, got] = [stringAt(original.metadata, member), stringAt(metadataOf(object), member)]
    if (wanted !== got) {
      throw new Error(`${review} returned invalid object: must have the same ${field}: ${wanted} != ${got}`)
    }
  }
  try {
    return withMetadata(original, object)
  } catch (error) {
    throw new Error(`${review} returned invalid metadata: ${(error as Error).message}`, { cause: error })
  }
}

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['UID', 'uid'],
] as const

function asObject(converted: JsonValue): JsonObject {
  // Go keeps nothing of a null to read later.
  if (converted === null) throw new Error('unexpected end of JSON input')
  if (!isObject(converted)) {
    const type = goValueName(converted)
    throw new Error(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`)
  }
  if (stringAt(converted, 'kind') !== '') return converted
  throw new Error(`Object 'Kind' is missing in '${jsonText(converted)}'`)
}

function checkType(original: KubeObject, object: JsonObject, apiVersion: string, review: string): void {
  const fail = (what: string, expected: string, received: string): Error =>
    new Error(
      `${review} returned invalid object at index 0: invalid ${what} (expected ${expected}, received ${received})`,
    )
  const [version, kind] = [stringAt(object, 'apiVersion'), stringAt(object, 'kind')]
  if (version !== apiVersion) throw fail('groupVersion', apiVersion, version)
  if (kind !== original.kind) throw fail('kind', original.kind ?? '', kind)
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = ownMember(object, 'metadata')
  return isObject(metadata) ? metadata : {}
}

function withMetadata(original: KubeObject, object: JsonObject): KubeObject {
  const { labels, annotations, ...kept } = original.metadata
  const metadata: KubeObject['metadata'] = { ...kept }
  for (const [field, former] of [
    ['labels', labels],
    ['annotations', annotations],
  ] as const) {
    const value = ownMember(metadataOf(object), field)
    if (value === undefined || value === null) continue
    const map = stringsOf(value, field)
    if (!sameJson(map, former)) checkMap(map, field)
    metadata[field] = map
  }
  return { ...object, metadata }
}

function stringsOf(value: JsonValue, field: string): Record<string, string> {
  if (!isObject(value))
    throw new Error(`invalid metadata.${field} of type ${goTypeOf(value)} in converted object`)
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'string') continue
    throw new Error(
      `metadata.${field}[${key}] must be a string, but is ${goTypeOf(item ?? null)} in converted object`,
    )
  }
  return value as Record<string, string>
}

function checkMap(map: Record<string, string>, field: 'labels' | 'annotations'): void {
  // Upstream's path has no s.
  const errors =
    field === 'labels'
      ? new Field(map, 'metadata.labels').collect(validateLabels)
      : new Field(map, 'metadata.annotation').collect(validateAnnotations)
  if (errors.length > 0) throw new Error(aggregate(errors))
}
