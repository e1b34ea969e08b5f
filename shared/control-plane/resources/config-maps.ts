import { configKey } from '../../kubernetes/index.ts'
import { objectAt, sameJson } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { errorsBy, type Field } from '../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { builtInKind } from './built-in-kind.ts'

/** Keys and values together: 1 MiB. */
export const DATA_LIMIT = 1024 * 1024
const FROZEN = 'field is immutable when `immutable` is set'

export const configMaps: ResourceDefinition = {
  ...builtInKind('', 'ConfigMap'),
  namespaced: true,
  shortNames: ['cm'],
  table: tableOf('configmaps', (map) => ({ Data: dataCount(map) })),
  strategy: {
    validate: errorsBy(validateConfigMap),
    validateUpdate: errorsBy((map, old: KubeObject) => validateFrozen(map, old, ['data', 'binaryData'])),
  },
}

function dataCount(object: KubeObject): number {
  return Object.keys(objectAt(object, 'data')).length + Object.keys(objectAt(object, 'binaryData')).length
}

function validateConfigMap(map: Field): void {
  const [data, binary] = [map.child('data'), map.child('binaryData')]
  for (const key of Object.keys(data.object)) {
    validateKey(data, key)
    if (Object.hasOwn(binary.object, key))
      data.key(key).invalid('duplicate of key present in binaryData', key)
  }
  for (const key of Object.keys(binary.object)) validateKey(binary, key)
  const values = [...Object.values(data.object), ...Object.values(binary.object)].map(String)
  map.as('[]').with(values.join('')).atMostBytes(DATA_LIMIT)
}

export function validateKey(data: Field, key: string): void {
  data.key(key).with(key).follows(configKey)
}

/** Refuses changes of fields that may not change once `immutable` is true. */
export function validateFrozen(object: Field, old: KubeObject, members: readonly string[]): void {
  if (old.immutable !== true) return
  if (object.object.immutable !== true) object.child('immutable').forbidden(FROZEN)
  for (const member of members)
    if (!sameJson(object.child(member).value, old[member])) object.child(member).forbidden(FROZEN)
}
