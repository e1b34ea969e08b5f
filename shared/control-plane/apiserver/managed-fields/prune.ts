import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import { difference, emptySet, type FieldSet, intersection, isEmptySet, union } from './fields/field-set.ts'
import { memberElement } from './fields/path-element.ts'
import type { Manager } from './managers.ts'
import { definiteType, type ListType, type MapType, type MergeType, memberType } from './types/merge-type.ts'
import { placeOf } from './values/elements.ts'
import { fieldsOf, withDeclared } from './values/object-fields.ts'
import { converted, typeIn, type WriteVersion } from './versions.ts'

/**
 * Removes from the merged object what its applier applied last, does not apply now, and no other manager owns
 * (structured-merge-diff's prune):
 * 1. What the applier owned is taken out of it, in the version of that apply.
 * 2. What others own comes back, with what contains it, each in the version of its owner.
 * 3. Only what the applier owned may be gone.
 * Throws MisfitError if the schema of a version does not fit the object.
 * @param owners all managers that own something, the applier with what it applies now
 */
export function withoutAbandoned(
  merged: JsonObject,
  last: Manager,
  owners: readonly Manager[],
  write: WriteVersion,
): JsonObject {
  const start = write.versions ? last.apiVersion : write.apiVersion
  const type = typeIn(start, write)
  // Of a version that is no more nothing can be taken away.
  if (!type) return merged
  const own = withDeclared(last.fields, type)
  const before = converted(
    merged,
    start,
    write,
    `${FAILED}failed to convert merged object to last applied version: `,
  )
  let kept = asObject(removeFields(before, own, type))
  for (const [apiVersion, owned] of ownedByVersion(owners, start, write)) {
    kept = withOwned(before, kept, owned, { apiVersion, write })
  }
  const all = withDeclared(fieldsOf(before, type), type)
  const why = `${FAILED}failed add back dangling items: failed to convert pruned object to last applied version: `
  const gone = difference(all, withDeclared(fieldsOf(converted(kept, start, write, why), type), type))
  const pruned = asObject(removeFields(before, intersection(gone, own), type))
  return converted(pruned, write.apiVersion, write, FAILED)
}

const FAILED = 'failed to prune fields: '

interface OwnersVersion {
  readonly apiVersion: string
  readonly write: WriteVersion
}

function withOwned(
  before: JsonObject,
  kept: JsonObject,
  owned: FieldSet,
  { apiVersion, write }: OwnersVersion,
): JsonObject {
  const type = typeIn(apiVersion, write)
  if (!type) return kept
  const declared = (set: FieldSet): FieldSet => withDeclared(set, type)
  const as = (object: JsonObject, what: string): JsonObject =>
    converted(
      object,
      apiVersion,
      write,
      `${FAILED}failed add back owned items: failed to convert ${what} object at version ${apiVersion}: `,
    )
  const whole = as(before, 'merged')
  const all = declared(fieldsOf(whole, type))
  const staying = union(declared(fieldsOf(as(kept, 'pruned'), type)), declared(owned))
  return asObject(removeFields(whole, difference(all, staying), type))
}

/** Groups owned fields by version, first the one of pruning, which may have to convert its owners. */
function ownedByVersion(
  owners: readonly Manager[],
  start: string,
  { versions }: WriteVersion,
): Map<string, FieldSet> {
  const owned = new Map([[start, emptySet()]])
  for (const { apiVersion, fields } of owners) {
    const at = versions ? apiVersion : start
    owned.set(at, union(owned.get(at) ?? emptySet(), fields))
  }
  return owned
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/**
 * Returns the value without the fields of a set. A value that loses all its fields, but is not in the set
 * itself, stays as null, as upstream's does.
 */
function removeFields(value: JsonValue, gone: FieldSet, declared: MergeType): JsonValue {
  const type = definiteType(declared, value)
  if (type.kind === 'scalar') return value
  if (type.kind === 'list') return Array.isArray(value) ? fromList(value, gone, type) : value
  return isObject(value) ? fromMap(value, gone, type) : value
}

function fromList(value: readonly JsonValue[], gone: FieldSet, type: ListType): JsonValue[] | null {
  if (type.relation === 'atomic') return null
  const kept = value.flatMap((item) => {
    const at = gone.children.get(placeOf(item, type) ?? '')
    if (at?.member) return []
    return at && !isEmptySet(at) ? [removeFields(item, at, type.element)] : [item]
  })
  return kept.length > 0 ? kept : null
}

function fromMap(value: JsonObject, gone: FieldSet, type: MapType): JsonObject | null {
  if (type.atomic) return null
  const out: [string, JsonValue][] = []
  for (const [name, item] of Object.entries(value)) {
    const at = gone.children.get(memberElement(name))
    if (item === undefined || at?.member) continue
    const itemType = memberType(type, name)
    out.push([name, at && itemType && !isEmptySet(at) ? removeFields(item, at, itemType) : item])
  }
  return out.length > 0 ? Object.fromEntries(out) : null
}
