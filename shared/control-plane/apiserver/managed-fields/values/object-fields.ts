import type { JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../../apimachinery/json/values.ts'
import { emptySet, type FieldSet } from '../fields/field-set.ts'
import { memberElement } from '../fields/path-element.ts'
import { definiteType, type ListType, type MapType, type MergeType, memberType } from '../types/merge-type.ts'
import { byPlace, listElements } from './elements.ts'

/** Returns a value's fields: leaves, elements of lists, and members of maps that no schema declares. */
export function fieldsOf(value: JsonValue | undefined, declared: MergeType): FieldSet {
  const type = definiteType(declared, value)
  if (type.kind === 'scalar') return leaf()
  if (type.kind === 'list') return type.relation === 'atomic' ? leaf() : fieldsOfList(value, type)
  return type.atomic ? leaf() : fieldsOfMap(value, type)
}

const leaf = (): FieldSet => ({ member: true, children: new Map() })

function fieldsOfList(value: JsonValue | undefined, type: ListType): FieldSet {
  const out = emptySet()
  for (const [at, [item, ...duplicates]] of byPlace(listElements(value, type))) {
    out.children.set(at, duplicates.length > 0 ? leaf() : { ...fieldsOf(item, type.element), member: true })
  }
  return out
}

function fieldsOfMap(value: JsonValue | undefined, type: MapType): FieldSet {
  const out = emptySet()
  if (!isObject(value)) return out
  for (const [name, item] of Object.entries(value)) {
    const itemType = memberType(type, name)
    if (item === undefined || !itemType) continue
    const fields = fieldsOf(item, itemType)
    const whole = fields.member || isEmptyMap(item) || type.member(name) === undefined
    if (whole || fields.children.size > 0) out.children.set(memberElement(name), { ...fields, member: whole })
  }
  return out
}

function isEmptyMap(value: JsonValue): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0)
}

/** Adds the declared members on the way to a set's fields: `a.b.c` brings `a`, if that is declared. */
export function withDeclared(set: FieldSet, type: MergeType | undefined): FieldSet {
  const children = new Map<string, FieldSet>()
  for (const [element, child] of set.children) {
    const declared = type && isDeclared(type, element) && child.children.size > 0
    const inner = withDeclared(child, type && typeAt(type, element))
    children.set(element, declared ? { ...inner, member: true } : inner)
  }
  return { member: set.member, children }
}

function isDeclared(type: MergeType, element: string): boolean {
  const map = type.kind === 'any' ? type.map : type
  return element.startsWith('f:') && map.kind === 'map' && map.member(element.slice(2)) !== undefined
}

/** Returns the type of what a path element leads to. */
function typeAt(type: MergeType, element: string): MergeType | undefined {
  const isMember = element.startsWith('f:')
  const definite = type.kind === 'any' ? (isMember ? type.map : type.list) : type
  if (definite.kind === 'map') return isMember ? memberType(definite, element.slice(2)) : undefined
  return definite.kind === 'list' ? definite.element : undefined
}
