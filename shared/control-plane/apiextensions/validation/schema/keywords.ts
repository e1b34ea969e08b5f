import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, ownMember, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { everySchema } from './walk.ts'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']

/** Keywords that a schema of a custom resource may not have, or not like this. */
export function keywordErrors(schema: JsonObject, at: string): FieldError[] {
  return everySchema(schema, at).flatMap((placed) => [
    ...unsupportedErrors(placed.schema, placed.at),
    ...mapErrors(placed.schema, placed.at),
    ...listErrors(placed.schema, placed.at),
  ])
}

function unsupportedErrors(schema: JsonObject, at: string): FieldError[] {
  const type = stringAt(schema, 'type')
  return [
    ...(type !== '' && !TYPES.includes(type) ? [notSupported(`${at}.type`, type, TYPES)] : []),
    ...UNSUPPORTED.filter((name) => schema[name] !== undefined).map((name) =>
      forbiddenField(`${at}.${name}`, `${name} is not supported`),
    ),
  ]
}

function mapErrors(schema: JsonObject, at: string): FieldError[] {
  const mapType = schema['x-kubernetes-map-type']
  if (typeof mapType !== 'string') return []
  const types = ['atomic', 'granular']
  return [
    ...wrongType(schema, { at, type: 'object', because: 'x-kubernetes-map-type is specified' }),
    ...(types.includes(mapType) ? [] : [notSupported(`${at}.x-kubernetes-map-type`, mapType, types)]),
  ]
}

function wrongType(
  schema: JsonObject,
  { at, type, because }: { at: string; type: string; because: string },
): FieldError[] {
  const actual = stringAt(schema, 'type')
  if (actual === type) return []
  const why = `must be ${type} if ${because}`
  return [actual === '' ? required(`${at}.type`, why) : invalidValue(`${at}.type`, actual, why)]
}

function listErrors(schema: JsonObject, at: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type']
  const keys = stringsAt(schema, 'x-kubernetes-list-map-keys')
  const field = `${at}.x-kubernetes-list-type`
  const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
  if (typeof listType !== 'string') return keys.length > 0 ? [required(field, why)] : []
  const types = ['atomic', 'set', 'map']
  return [
    ...wrongType(schema, { at, type: 'array', because: 'x-kubernetes-list-type is specified' }),
    ...(types.includes(listType) ? [] : [notSupported(field, listType, types)]),
    ...(keys.length > 0 && listType !== 'map' ? [invalidValue(field, listType, why)] : []),
    ...(listType === 'map' ? mapListErrors(schema, keys, at) : []),
    ...(listType === 'set' ? setErrors(objectAt(schema, 'items'), `${at}.items`) : []),
  ]
}

function setErrors(items: JsonObject, at: string): FieldError[] {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const nullable = items.nullable === true ? [nullableError(at, 'set')] : []
  const [listType, mapType] = [items['x-kubernetes-list-type'], items['x-kubernetes-map-type']]
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalidValue(`${at}.x-kubernetes-list-type`, listType, why), ...nullable]
  if (items.type === 'object' && mapType !== 'atomic')
    return [invalidValue(`${at}.x-kubernetes-map-type`, mapType ?? null, why), ...nullable]
  return nullable
}

function nullableError(at: string, listType: string): FieldError {
  return forbiddenField(`${at}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)
}

function mapListErrors(schema: JsonObject, keys: readonly string[], at: string): FieldError[] {
  const field = `${at}.x-kubernetes-list-map-keys`
  const { items } = schema
  const none = keys.length > 0 ? [] : [required(field, 'must not be empty if x-kubernetes-list-type is map')]
  if (!isObject(items))
    return [...none, required(`${at}.items`, 'must have a schema if x-kubernetes-list-type is map')]
  const type = stringAt(items, 'type')
  if (type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    return [...none, invalidValue(`${at}.items.type`, type, why)]
  }
  return [
    ...none,
    ...(new Set(keys).size < keys.length
      ? [invalidValue(field, [...keys], 'must not contain duplicate entries')]
      : []),
    ...(items.nullable === true ? [nullableError(`${at}.items`, 'map')] : []),
    ...keys.flatMap((key) => keyErrors(key, items, at)),
  ]
}

function keyErrors(key: string, items: JsonObject, at: string): FieldError[] {
  const properties = objectAt(items, 'properties')
  const property = ownMember(properties, key)
  if (!isObject(property)) {
    const why = 'entries must all be names of item properties'
    return [invalidValue(`${at}.x-kubernetes-list-map-keys`, [key], why)]
  }
  const where = `${at}.items.properties[${key}]`
  const given = property.default !== undefined || stringsAt(items, 'required').includes(key)
  return [
    ...(property.type === 'array' || property.type === 'object'
      ? [
          invalidValue(
            `${where}.type`,
            property.type,
            "must be a scalar type if parent array's x-kubernetes-list-type is map",
          ),
        ]
      : []),
    ...(given
      ? []
      : [
          required(
            `${where}.default`,
            'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
          ),
        ]),
    ...(property.nullable === true
      ? [
          forbiddenField(
            `${where}.nullable`,
            'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
          ),
        ]
      : []),
  ]
}
