/**
 * A set of fields of an object, as a tree of path elements: `f:name` for a member, `k:{…}` for an element of
 * a list by its keys, `v:…` for a value of a set. A node is in the set itself when it is a member. Sets are
 * values: what makes a new one leaves the old ones as they are.
 */
export interface FieldSet {
  member: boolean
  readonly children: Map<string, FieldSet>
}

export function emptySet(): FieldSet {
  return { member: false, children: new Map() }
}

export function isEmptySet(set: FieldSet): boolean {
  if (set.member) return false
  for (const child of set.children.values()) if (!isEmptySet(child)) return false
  return true
}

/** Adds a field to a set. This is the only function that changes a set, for those who build one. */
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

/** Returns the fields of `a` that are not in `b`. A field of `b` removes itself and nothing below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const out: FieldSet = { member: a.member && !b.member, children: new Map() }
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const left = other ? difference(child, other) : child
    if (!isEmptySet(left)) out.children.set(element, left)
  }
  return out
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const out: FieldSet = { member: a.member && b.member, children: new Map() }
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const shared = other ? intersection(child, other) : emptySet()
    if (!isEmptySet(shared)) out.children.set(element, shared)
  }
  return out
}
