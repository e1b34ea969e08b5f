import { isObject, type JsonObject, type JsonValue, sameJson } from '../json.ts'
import { compareObjects } from './compare.ts'
import type { Conflict } from './conflicts.ts'
import { difference, type FieldSet, intersection, isEmptySet, union } from './field-set.ts'
import { isSameManager, type Manager, type ManagerId } from './managers.ts'
import { mergeValues } from './merge.ts'
import type { MapType } from './merge-type.ts'
import { fieldsOf, withDeclared } from './object-fields.ts'
import { removeFields } from './remove-fields.ts'
import { ownable, reachable, type WriteScope } from './scope.ts'

export interface Application extends WriteScope {
  readonly manager: ManagerId
  readonly type: MapType
  /** `timestamp` of the manager's entry where the object changes. */
  readonly time: string
}

export interface Applied {
  /** The live object itself where nothing of it changes; managers may have changed all the same. */
  readonly object: JsonObject
  readonly managers: Manager[]
  /** Fields that the apply takes from other managers: what it must be refused for unless it is by force. */
  readonly conflicts: Conflict[]
}

/**
 * Applies a configuration to an object without `metadata.managedFields` (KEP-555, structured-merge-diff's merge.Updater):
 * 1. The configuration is laid over the object.
 * 2. What the manager applied before, does not apply now, and nobody else owns, is removed.
 * 3. Fields that change and that others own are conflicts, and taken from them.
 */
export function applyConfiguration(
  live: JsonObject,
  configuration: JsonObject,
  known: readonly Manager[],
  application: Application,
): Applied {
  const { manager: id, type, time } = application
  const last = known.find((manager) => isSameManager(manager, id))
  const others = known.filter((manager) => manager !== last)
  const applied = reachable(fieldsOf(configuration, type), application)
  const merged = asObject(mergeValues(live, configuration, type))
  const owned = others.reduce((set, { fields }) => union(set, fields), applied)
  const object = last ? pruned(merged, last.fields, owned, type) : merged
  const comparison = compareObjects(live, object, type)
  const changed = reachable(comparison.changed, application)
  const conflicts = others
    .map((manager) => ({ manager, fields: intersection(manager.fields, changed) }))
    .filter(({ fields }) => !isEmptySet(fields))
  const lost = union(changed, reachable(comparison.removed, application))
  const same = sameJson(live, object)
  const stamp = same ? last?.time : time
  const own = { ...id, ...(stamp === undefined ? {} : { time: stamp }), fields: ownable(applied) }
  return {
    object: same ? live : object,
    managers: [...others.map((other) => ({ ...other, fields: difference(other.fields, lost) })), own],
    conflicts,
  }
}

/** The merged object without what only its applier owned and no longer applies. */
function pruned(merged: JsonObject, last: FieldSet, owned: FieldSet, type: MapType): JsonObject {
  const declared = (set: FieldSet): FieldSet => withDeclared(set, type)
  const all = declared(fieldsOf(merged, type))
  const own = declared(last)
  const bare = asObject(removeFields(merged, own, type))
  // What others own comes back, with what it stands in.
  const kept = union(declared(fieldsOf(bare, type)), declared(owned))
  const restored = asObject(removeFields(merged, difference(all, kept), type))
  // Only what the applier owned may go.
  const gone = difference(all, declared(fieldsOf(restored, type)))
  return asObject(removeFields(merged, intersection(gone, own), type))
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}
