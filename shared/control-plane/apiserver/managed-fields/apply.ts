import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, sameJson } from '../../apimachinery/json/values.ts'
import type { Conflict } from './conflicts.ts'
import { emptySet, type FieldSet, intersection, isEmptySet } from './fields/field-set.ts'
import { withoutLost } from './lost-fields.ts'
import { isSameManager, type Manager, type ManagerId } from './managers.ts'
import { withoutAbandoned } from './prune.ts'
import { reconciled } from './reconcile.ts'
import { ownable, reachable, type WriteScope } from './scope.ts'
import type { MapType } from './types/merge-type.ts'
import { mergeValues } from './values/merge.ts'
import { fieldsOf } from './values/object-fields.ts'
import { type KindVersions, VersionedComparison, type WriteVersion } from './versions.ts'

interface Application extends WriteScope {
  readonly manager: ManagerId
  readonly type: MapType
  /** Undefined where all versions have the same fields. */
  readonly versions?: KindVersions | undefined
  /** `timestamp` of the manager's entry where the object changes. */
  readonly time: string
}

interface Applied {
  /** The live object itself where nothing of it changes; managers may have changed all the same. */
  readonly object: JsonObject
  readonly managers: Manager[]
  /** Fields that the apply takes from other managers: what it must be refused for unless it is by force. */
  readonly conflicts: Conflict[]
}

/**
 * Applies a configuration to an object without `metadata.managedFields` (KEP-555, structured-merge-diff's
 * merge.Updater):
 * 1. The configuration is laid over the object.
 * 2. What the manager applied before, does not apply now, and no other manager owns, is removed.
 * 3. Fields that change and that others own are conflicts, and taken from them.
 *
 * Throws MisfitError where the schema of an owner's version does not fit the object.
 */
export function applyConfiguration(
  live: JsonObject,
  configuration: JsonObject,
  known: readonly Manager[],
  application: Application,
): Applied {
  const { manager: id, type, time, versions } = application
  const write = { apiVersion: id.apiVersion, type, versions }
  const scope = { ...application, apiVersion: id.apiVersion }
  const current = application.isCustomResource ? reconciled(known, live, write) : known
  const last = current.find((manager) => isSameManager(manager, id))
  const others = current.filter((manager) => manager !== last)
  const applied = reachable(fieldsOf(configuration, type), application)
  const merged = asObject(mergeValues(live, configuration, type))
  const owners = [...others, { ...id, fields: applied }]
  const object = last ? withoutAbandoned(merged, last, owners, write) : merged
  const comparison = new VersionedComparison(live, object, write)
  const conflicts = others
    .map((manager) => ({ manager, fields: changedOf(manager, comparison, scope) }))
    .filter(({ fields }) => !isEmptySet(fields))
  const same = sameJson(live, object)
  const stamp = same ? last?.time : time
  const own = { ...id, ...(stamp === undefined ? {} : { time: stamp }), fields: ownable(applied) }
  return {
    object: same ? live : object,
    managers: [...withoutLost(others, comparison, scope), own],
    conflicts,
  }
}

/** Returns the fields of a manager that change. */
function changedOf(
  manager: Manager,
  comparison: VersionedComparison,
  scope: WriteScope & Pick<WriteVersion, 'apiVersion'>,
): FieldSet {
  const changed = comparison.in(manager.apiVersion)?.changed ?? emptySet()
  return intersection(manager.fields, reachable(changed, scope, manager.apiVersion === scope.apiVersion))
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}
