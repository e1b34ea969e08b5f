import { isObject, type JsonObject } from '../json.ts'

/**
 * A set of fields of an object, as a tree of path elements: `f:name` for a member, `k:{…}` for an element of a list by its keys, `v:…` for
 * a value of a set. A node is in the set itself when it is a member.
 */
export interface FieldSet {
  member: boolean
  readonly children: Map<string, FieldSet>
}

export function emptySet(): FieldSet {
  return { member: false, children: new Map() }
}

export function isEmptySet(set: FieldSet): boolean {
  return !set.member && [...set.children.values()].every(isEmptySet)
}

/** The set with a field more. */
export function insertField(set: FieldSet, path: readonly string[]): void {
  let node = set
  for (const element of path) {
    const child = node.children.get(element) ?? emptySet()
    node.children.set(element, child)
    node = child
  }
  node.member = true
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  const out: FieldSet = { member: a.member || b.member, children: new Map(a.children) }
  for (const [element, child] of b.children) {
    const mine = a.children.get(element)
    out.children.set(element, mine ? union(mine, child) : child)
  }
  return out
}

export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const out: FieldSet = { member: a.member && !b.member, children: new Map() }
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const left = other ? difference(child, other) : child
    if (!isEmptySet(left)) out.children.set(element, left)
  }
  return out
}

/** `FieldsV1` as it stands in JSON. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const out: JsonObject = {}
  const elements = [...set.children]
    .filter(([, child]) => !isEmptySet(child))
    .sort(([a], [b]) => compare(a, b))
  if (set.member && elements.length > 0) out['.'] = {}
  for (const [element, child] of elements) out[element] = toFieldsV1(child)
  return out
}

/** Members first, then elements by key, then values; each in the order of their texts. */
function compare(a: string, b: string): number {
  const order = 'fkvi'
  const kinds = order.indexOf(a[0] ?? '') - order.indexOf(b[0] ?? '')
  if (kinds !== 0) return kinds
  return a < b ? -1 : 1
}

export function fromFieldsV1(value: JsonObject): FieldSet {
  const elements = Object.entries(value).filter(([element]) => element !== '.')
  return {
    member: '.' in value || elements.length === 0,
    children: new Map(
      elements.map(([element, child]) => [element, fromFieldsV1(isObject(child) ? child : {})]),
    ),
  }
}
