import { badRequest, internal } from '../../apimachinery/errors/factories.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { identityOf, isObject, ownMember, setMember } from '../../apimachinery/json/values.ts'
import { type Field, type FieldType, pointee, type Struct, structOf } from '../schema/table.ts'
import { type Identify, orderElements } from './element-order.ts'
import { KeyedList } from './keyed-list.ts'

const DIRECTIVE = '$patch'
const ORDER = '$setElementOrder/'
const REMOVAL = '$deleteFromPrimitiveList/'
const RETAIN = '$retainKeys'

/**
 * Merges as a merge patch does, but lists whose field says so by merge key, with the directives `$patch`,
 * `$setElementOrder`, `$deleteFromPrimitiveList` and `$retainKeys`. Throws a 500 where an element lacks its
 * merge key, as the real server does.
 */
export function strategicMergePatch(target: JsonObject, patch: JsonObject, structName: string): JsonObject {
  return mergeObject(target, patch, { kind: 'struct', name: structName })
}

function mergeObject(target: JsonObject, patch: JsonObject, type: FieldType): JsonObject {
  const directive = patch[DIRECTIVE]
  if (directive === 'replace') return withoutDirectives(patch)
  if (directive === 'delete') return {}
  if (directive !== undefined)
    throw internal(`unknown patch type: ${goText(directive)} in map: ${goMap(patch)}`)
  const out = retained(target, patch)
  for (const [member, value] of Object.entries(patch)) {
    if (member.startsWith(REMOVAL)) {
      const list = member.slice(REMOVAL.length)
      const removed = new Set(listOf(value).map(identityOf))
      const kept = listOf(ownMember(out, list)).filter((item) => !removed.has(identityOf(item)))
      setMember(out, list, kept)
    } else if (member.startsWith(ORDER)) reorderOnly(out, member.slice(ORDER.length), patch, type)
    else if (!member.startsWith('$')) mergeMember(out, member, patch, type)
  }
  return out
}

/** Returns what `$retainKeys` leaves of the target; it must name everything that the patch sets. */
function retained(target: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, RETAIN)) return { ...target }
  const keys = new Set(listOf(patch[RETAIN]))
  const set = Object.keys(patch).filter((member) => !member.startsWith('$') && patch[member] !== null)
  if (!Array.isArray(patch[RETAIN]) || set.some((member) => !keys.has(member))) {
    throw badRequest('invalid patch format of retainKeys')
  }
  return Object.fromEntries(Object.entries(target).filter(([member]) => keys.has(member)))
}

function mergeMember(out: JsonObject, member: string, patch: JsonObject, type: FieldType): void {
  const value = patch[member]
  if (value === null || value === undefined) {
    delete out[member]
    return
  }
  const field = fieldOf(type, member)
  const fieldType = field ? pointee(field.type) : elementOf(type)
  const current = ownMember(out, member)
  const merges = !field?.patchStrategies.includes('replace')
  if (isObject(value) && isObject(current)) {
    setMember(out, member, merges ? mergeObject(current, value, fieldType) : value)
  } else if (Array.isArray(value) && Array.isArray(current) && field?.patchStrategies.includes('merge')) {
    out[member] = mergeList(current, value, listOf(patch[`${ORDER}${member}`]), field)
  } else {
    const added = withoutDirected(value)
    if (added === undefined) delete out[member]
    else setMember(out, member, added)
  }
}

/**
 * Returns what a patch adds where there was nothing: without its nulls, and without objects that have a
 * `$patch`, even `replace`. Undefined if it is such an object itself. Other directives stay, as unknown
 * members (upstream's removeDirectives).
 */
function withoutDirected(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map(withoutDirected).filter((item): item is JsonValue => item !== undefined)
  }
  if (!isObject(value)) return value
  if (Object.hasOwn(value, DIRECTIVE)) return undefined
  const out: JsonObject = {}
  for (const [member, inner] of Object.entries(value)) {
    const kept = inner === null || inner === undefined ? undefined : withoutDirected(inner)
    if (kept !== undefined) setMember(out, member, kept)
  }
  return out
}

/** Reorders a list that the patch does not otherwise touch. */
function reorderOnly(out: JsonObject, member: string, patch: JsonObject, type: FieldType): void {
  const field = fieldOf(type, member)
  if (Object.hasOwn(patch, member) || !field?.patchStrategies.includes('merge')) return
  const current = listOf(ownMember(out, member))
  out[member] = orderElements(current, listOf(patch[`${ORDER}${member}`]), current, identifier(field))
}

function mergeList(target: JsonValue[], patch: JsonValue[], order: JsonValue[], field: Field): JsonValue[] {
  const identify = identifier(field)
  const items = patch.filter((item) => !isReplaceMarker(item))
  if (items.length < patch.length)
    return items.map((item) => (isObject(item) ? withoutDirectives(item) : item))
  if (!items.some(isObject)) {
    const known = new Set(target.map(identityOf))
    const added = items.filter((item) => !known.has(identityOf(item)))
    return orderElements([...target, ...added], order.length > 0 ? order : items, target, identify)
  }
  const merged = mergeElements(target, items.filter(isObject), field)
  return orderElements(merged, order.length > 0 ? order : items, target, identify)
}

function isReplaceMarker(item: JsonValue): boolean {
  return isObject(item) && item[DIRECTIVE] === 'replace' && Object.keys(item).length === 1
}

function mergeElements(
  target: readonly JsonValue[],
  items: readonly JsonObject[],
  field: Field,
): JsonValue[] {
  const key = field.mergeKey ?? ''
  const element = elementOf(field.type)
  const list = new KeyedList(target, key)
  for (const item of items) {
    if (item[key] === undefined) {
      throw internal(`map: ${goMap(item)} does not contain declared merge key: ${key}`)
    }
    if (item[DIRECTIVE] === 'delete') list.remove(item)
    else list.merge(item, (known) => mergeObject(known, item, element))
  }
  return list.elements
}

function identifier(field: Field): Identify {
  return (element) => (isObject(element) ? element[field.mergeKey ?? ''] : element)
}

function fieldOf(type: FieldType, member: string): Field | undefined {
  return structFor(type)?.byName.get(member)
}

function structFor(type: FieldType): Struct | undefined {
  return type.kind === 'struct' ? structOf(type.name) : undefined
}

function elementOf(type: FieldType): FieldType {
  return type.kind === 'list' || type.kind === 'map'
    ? pointee(type.element)
    : { kind: 'scalar', scalar: 'any' }
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch).filter(([member, value]) => !member.startsWith('$') && value !== null),
  )
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** Formats the object as Go prints a map. */
function goMap(value: JsonObject): string {
  const members = Object.keys(value)
    .sort()
    .map((member) => `${member}:${goText(value[member])}`)
  return `map[${members.join(' ')}]`
}

function goText(value: JsonValue | undefined): string {
  if (isObject(value)) return goMap(value)
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  return value === null || value === undefined ? '<nil>' : String(value)
}
