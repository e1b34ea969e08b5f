import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { type KubeObject, timestamp } from '../../apimachinery/objects.ts'
import { difference, emptySet, isEmptySet, union } from './fields/field-set.ts'
import { withoutLost } from './lost-fields.ts'
import {
  isReset,
  isSameManager,
  type Manager,
  type ManagerId,
  managedFields,
  managersOf,
} from './managers.ts'
import { reconciled } from './reconcile.ts'
import { ownable, reachable, type WriteScope } from './scope.ts'
import type { MapType } from './types/merge-type.ts'
import { problemsText, typeProblems } from './types/type-problems.ts'
import { type KindVersions, MisfitError, VersionedComparison } from './versions.ts'

/** More updaters than this are not kept apart, as by the real server. */
const MAXIMUM_UPDATERS = 10
const BUCKET = 'ancient-changes'

/** Limits updaters: the oldest of an API version become one, `ancient-changes`. Appliers stay. */
function capManagers(managers: readonly Manager[]): Manager[] {
  const updaters = managers.filter(({ operation }) => operation === 'Update').sort(byAge)
  let surplus = updaters.length - MAXIMUM_UPDATERS
  const out = new Set(managers)
  const firstOfVersion = new Map<string, Manager>()
  for (const updater of updaters) {
    if (surplus <= 0) break
    const { apiVersion } = updater
    const first = firstOfVersion.get(apiVersion)
    if (first) {
      const bucket = [...out].find((manager) => isSameManager(manager, bucketOf(updater))) ?? first
      out.delete(bucket)
      out.delete(updater)
      out.add({ ...bucketOf(updater), fields: union(bucket.fields, updater.fields) })
      surplus--
    } else firstOfVersion.set(apiVersion, updater)
  }
  return [...out]
}

const bucketOf = (updater: Manager): Manager => ({ ...updater, name: BUCKET, subresource: '' })

function byAge({ time: a = '', name: x }: Manager, { time: b = '', name: y }: Manager): number {
  return `${a}\0${x}` < `${b}\0${y}` ? -1 : 1
}

/** Under which name a write is tracked, and by which rules. */
export interface Tracking extends WriteScope {
  readonly manager: string
  readonly apiVersion: string
  readonly type: MapType
  /** Undefined where all versions have the same fields. */
  readonly versions?: KindVersions | undefined
  /** An object of the kind that has nothing: what the first write of an object is compared with. */
  readonly blank: JsonObject
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Returns `metadata.managedFields` after a write that is no apply: the manager owns what it has added or
 * changed, others lose it, and what was removed has no owner. Objects whose entries were removed have
 * none until the next apply. Undefined if there are none, or if a custom resource does not fit the schema of
 * one of the managers' versions: upstream's `UpdateNoErrors` drops them then.
 */
export function trackedManagers(
  submitted: KubeObject,
  stored: KubeObject | undefined,
  tracking: Tracking,
): JsonObject[] | undefined {
  const known = knownManagers(submitted, stored, tracking)
  if (stored && known.length === 0) return undefined
  try {
    return managedFields(capManagers(updatedManagers(known, submitted, stored, tracking)))
  } catch (error) {
    if (error instanceof MisfitError) return undefined
    throw error
  }
}

/**
 * Returns the managers after an update by a client, or of everything that was there before the first apply.
 * Throws MisfitError if the schema of a manager's version does not fit the object.
 */
export function updatedManagers(
  known: readonly Manager[],
  submitted: KubeObject,
  stored: KubeObject | undefined,
  tracking: Tracking,
): Manager[] {
  const { manager, apiVersion, subresource = '', blank, now } = tracking
  const before = bare(stored) ?? blank
  const after = bare(submitted) ?? submitted
  const managers = tracking.isCustomResource ? fitting(known, [before, after], tracking) : known
  const versioned = new VersionedComparison(before, after, tracking)
  const comparison = versioned.in(apiVersion) ?? { changed: emptySet(), removed: emptySet() }
  const mine = ownable(reachable(comparison.changed, tracking))
  const gone = ownable(reachable(comparison.removed, tracking))
  const id: ManagerId = { name: manager, operation: 'Update', apiVersion, subresource }
  const own = managers.find((other) => isSameManager(other, id))
  const others = withoutLost(
    managers.filter((other) => other !== own),
    versioned,
    tracking,
  )
  const fields = union(difference(own?.fields ?? emptySet(), gone), mine)
  // Upstream gives those who write another kind no time (apimachinery, managedfields/scalehandler.go).
  const isUnchanged = isEmptySet(mine) && own !== undefined
  const time = isUnchanged || tracking.isOtherKind ? own?.time : timestamp(now)
  return [...others, { ...id, ...(time === undefined ? {} : { time }), fields }]
}

/** Adapts the managers to the present schemas. Throws MisfitError if those do not fit. */
function fitting(
  managers: readonly Manager[],
  [before, after]: readonly [JsonObject, JsonObject],
  tracking: Tracking,
): Manager[] {
  for (const object of [after, before]) {
    const problems = typeProblems(object, tracking.type, { allowDuplicates: true })
    if (problems.length > 0) throw new MisfitError(problemsText(problems))
  }
  return reconciled(managers, before, tracking)
}

/** Managers are nothing that is converted. */
function bare(object: KubeObject | undefined): JsonObject | undefined {
  if (!object) return undefined
  const { managedFields, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Returns the managers that a client sends: none of a subresource, or if they cannot be read. */
function knownManagers(
  submitted: KubeObject,
  stored: KubeObject | undefined,
  { subresource }: Tracking,
): Manager[] {
  if (!subresource) {
    if (isReset(submitted)) return []
    const sent = managersOf(submitted)
    if (sent && sent.length > 0) return sent
  }
  return managersOf(stored) ?? []
}
