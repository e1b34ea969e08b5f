import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { type FieldSet, isEmptySet } from './fields/field-set.ts'
import { compareElements, readElement } from './fields/path-element.ts'

/** Owner of fields of an object: an entry of `metadata.managedFields`. */
export interface Manager {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  /** Empty for the object itself. */
  readonly subresource: string
  /** Time of the last change; an applier whose first apply changed nothing has none. */
  readonly time?: string
  readonly fields: FieldSet
}

export type ManagerId = Omit<Manager, 'time' | 'fields'>

/** Appliers are the same whatever version they apply; updaters are not. */
export function isSameManager(a: ManagerId, b: ManagerId): boolean {
  return (
    a.name === b.name &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  )
}

/** Returns the managers of an object; undefined if an entry cannot be read. */
export function managersOf(object: KubeObject | undefined): Manager[] | undefined {
  const entries = object?.metadata.managedFields
  if (!Array.isArray(entries)) return []
  const managers: Manager[] = []
  for (const entry of entries) {
    const manager = isObject(entry) ? readManager(entry) : undefined
    if (!manager) return undefined
    managers.push(manager)
  }
  return managers
}

function readManager(entry: JsonObject): Manager | undefined {
  const { operation, apiVersion, fieldsType, time } = entry
  if (operation !== 'Apply' && operation !== 'Update') return undefined
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined
  const fields = fromFieldsV1(objectAt(entry, 'fieldsV1'))
  if (!fields) return undefined
  return {
    name: stringAt(entry, 'manager'),
    operation,
    apiVersion,
    subresource: stringAt(entry, 'subresource'),
    ...(typeof time === 'string' ? { time } : {}),
    fields,
  }
}

/** Reports whether a client asks to remove all owners: by an empty list, or one with one empty entry. */
export function isReset({ metadata }: KubeObject): boolean {
  const entries = metadata.managedFields
  if (!Array.isArray(entries)) return false
  const [first] = entries
  return first === undefined || (entries.length === 1 && isObject(first) && Object.keys(first).length === 0)
}

/** Returns `metadata.managedFields`: appliers first, then the oldest, then by name; undefined if empty. */
export function managedFields(managers: readonly Manager[]): JsonObject[] | undefined {
  const owners = managers.filter(({ fields }) => !isEmptySet(fields))
  return owners.length > 0 ? owners.sort(byAge).map(entryOf) : undefined
}

function entryOf({ name, operation, apiVersion, subresource, time, fields }: Manager): JsonObject {
  return {
    manager: name,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource === '' ? {} : { subresource }),
  }
}

function byAge(a: Manager, b: Manager): number {
  return sortKey(a) < sortKey(b) ? -1 : 1
}

function sortKey({ operation, time = '', name, apiVersion, subresource }: Manager): string {
  return [operation, time, name, apiVersion, subresource].join('\0')
}

/** Writes a set as `FieldsV1` JSON. `.` says that a field is in the set itself beside fields below it. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const out: JsonObject = {}
  const elements = [...set.children]
    .filter(([, child]) => !isEmptySet(child))
    .sort(([a], [b]) => compareElements(a, b))
  if (set.member && elements.length > 0) out['.'] = {}
  for (const [element, child] of elements) out[element] = toFieldsV1(child)
  return out
}

/** Reads `FieldsV1`; undefined for an element that is none. The whole object is never in the set. */
export function fromFieldsV1(value: JsonObject): FieldSet | undefined {
  const set = readNode(value)
  return set && { member: false, children: set.children }
}

function readNode(value: JsonObject): FieldSet | undefined {
  const children = new Map<string, FieldSet>()
  for (const [text, child] of Object.entries(value)) {
    if (text === '.') continue
    const element = readElement(text)
    const node = isObject(child) ? readNode(child) : undefined
    if (element === undefined || !node) return undefined
    children.set(element, node)
  }
  return { member: '.' in value || children.size === 0, children }
}
