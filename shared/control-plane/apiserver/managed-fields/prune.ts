import { isObject, type JsonObject, type JsonValue } from '../../apimachinery/json/index.ts'
import { difference, emptySet, type FieldSet, intersection, union } from './fields/field-set.ts'
import type { Manager } from './managers.ts'
import { fieldsOf, withDeclared } from './values/object-fields.ts'
import { removeFields } from './values/remove-fields.ts'
import { converted, typeIn, type WriteVersion } from './versions.ts'

/**
 * Removes from the merged object what its applier applied last, does not apply now, and nobody else owns
 * (structured-merge-diff's prune):
 * 1. What the applier owned is taken out of it, in the version of that apply.
 * 2. What others own comes back, with what contains it, each in the version of its owner.
 * 3. Only what the applier owned may be gone.
 * Throws MisfitError if the schema of a version does not fit the object.
 * @param owners everybody who owns something, the applier with what it applies now
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

/**
 * Groups owned fields by version. The version with which pruning begins comes first, as it may need what its
 * owners have to be converted.
 */
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
