import { configKey } from '../../kubernetes/index.ts'
import { type FieldError, forbiddenField, invalidValue, tooLong } from '../apimachinery/errors/field.ts'
import { objectAt, sameJson } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { ageOf } from '../apiserver/table/format.ts'
import { builtInKind } from './built-in-kind.ts'

/** Keys and values together: 1 MiB. */
export const DATA_LIMIT = 1024 * 1024
const FROZEN = 'field is immutable when `immutable` is set'

export const configMaps: ResourceDefinition = {
  ...builtInKind('', 'ConfigMap'),
  namespaced: true,
  shortNames: ['cm'],
  table: tableOf('configmaps', (object, now) => [
    object.metadata.name ?? '',
    dataCount(object),
    ageOf(object, now),
  ]),
  strategy: {
    validate: configMapErrors,
    validateUpdate: (object, old) => frozenErrors(object, old, ['data', 'binaryData']),
  },
}

function dataCount(object: KubeObject): number {
  return Object.keys(objectAt(object, 'data')).length + Object.keys(objectAt(object, 'binaryData')).length
}

function configMapErrors(object: KubeObject): FieldError[] {
  const data = objectAt(object, 'data')
  const binary = objectAt(object, 'binaryData')
  return [
    ...Object.keys(data).flatMap((key) => [
      ...keyErrors('data', key),
      ...(Object.hasOwn(binary, key)
        ? [invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...Object.keys(binary).flatMap((key) => keyErrors('binaryData', key)),
    ...sizeErrors([...Object.values(data), ...Object.values(binary)].map(String)),
  ]
}

export function keyErrors(field: string, key: string): FieldError[] {
  return configKey(key).map((text) => invalidValue(`${field}[${key}]`, key, text))
}

function sizeErrors(values: readonly string[]): FieldError[] {
  const size = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0)
  return size > DATA_LIMIT ? [tooLong('[]', DATA_LIMIT)] : []
}

/** Reports changes of fields that may not change once `immutable` is true. */
export function frozenErrors(object: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return []
  return [
    ...(object.immutable === true ? [] : [forbiddenField('immutable', FROZEN)]),
    ...fields
      .filter((field) => !sameJson(object[field], old[field]))
      .map((field) => forbiddenField(field, FROZEN)),
  ]
}
