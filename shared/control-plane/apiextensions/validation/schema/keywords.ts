import type { Field } from '../../../apimachinery/validation/field.ts'
import { everySchema } from './walk.ts'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']
const LIST_TYPE = 'x-kubernetes-list-type'
const LIST_KEYS = 'x-kubernetes-list-map-keys'
const MAP_TYPE = 'x-kubernetes-map-type'

/** Refuses keywords that a schema of a custom resource may not have, or not like this. */
export function validateKeywords(root: Field): void {
  for (const schema of everySchema(root)) {
    schema.child('type').ifFilled?.oneOf(TYPES)
    for (const name of UNSUPPORTED) schema.child(name).ifSet?.forbidden(`${name} is not supported`)
    validateMap(schema)
    validateList(schema)
  }
}

function validateMap(schema: Field): void {
  const mapType = schema.child(MAP_TYPE).ifSet
  if (!mapType) return
  validateType(schema.child('type'), 'object', MAP_TYPE)
  mapType.oneOf(['atomic', 'granular'])
}

function validateType(type: Field, wanted: string, keyword: string): void {
  const why = `must be ${wanted} if ${keyword} is specified`
  if (type.text !== wanted && type.notEmpty(why)) type.invalid(why)
}

function validateList(schema: Field): void {
  const [listType, keys, items] = [schema.child(LIST_TYPE), schema.child(LIST_KEYS), schema.child('items')]
  const why = `must be map if ${LIST_KEYS} is non-empty`
  const hasKeys = keys.list.length > 0
  if (!listType.ifSet) {
    if (hasKeys) listType.required(why)
    return
  }
  validateType(schema.child('type'), 'array', LIST_TYPE)
  listType.oneOf(['atomic', 'set', 'map'])
  if (hasKeys && listType.text !== 'map') listType.invalid(why)
  if (listType.text === 'map') validateMapList(keys, items)
  if (listType.text === 'set') validateSet(items)
}

function validateSet(items: Field): void {
  const [listType, mapType] = [items.child(LIST_TYPE), items.child(MAP_TYPE)]
  const why = `must be atomic as item of a list with ${LIST_TYPE}=set`
  if (items.object.type === 'array' && listType.value !== 'atomic') listType.ifSet?.invalid(why)
  if (items.object.type === 'object' && mapType.value !== 'atomic') mapType.invalid(why)
  validateNotNullable(items, 'set')
}

function validateNotNullable(items: Field, listType: string): void {
  if (items.object.nullable === true)
    items.child('nullable').forbidden(`cannot be nullable when ${LIST_TYPE} is ${listType}`)
}

function validateMapList(keys: Field, items: Field): void {
  const type = items.child('type')
  keys.notEmpty(`must not be empty if ${LIST_TYPE} is map`)
  if (!items.ifObject) items.required(`must have a schema if ${LIST_TYPE} is map`)
  else if (type.text !== 'object')
    type.invalid(`must be object if parent array's ${LIST_TYPE} is map`, type.text)
  else {
    if (new Set(keys.strings).size < keys.list.length) keys.invalid('must not contain duplicate entries')
    validateNotNullable(items, 'map')
    for (const key of keys.strings) validateKey(key, keys, items)
  }
}

function validateKey(key: string, keys: Field, items: Field): void {
  const property = items.child('properties').key(key)
  if (!property.ifObject) {
    keys.invalid('entries must all be names of item properties', [key])
    return
  }
  const [type, value] = [property.child('type'), property.child('default')]
  if (type.text === 'array' || type.text === 'object')
    type.invalid(`must be a scalar type if parent array's ${LIST_TYPE} is map`)
  if (!value.ifSet && !items.child('required').strings.includes(key))
    value.required(`this property is in ${LIST_KEYS}, so it must have a default or be a required property`)
  if (property.object.nullable === true)
    property.child('nullable').forbidden(`this property is in ${LIST_KEYS}, so it cannot be nullable`)
}
