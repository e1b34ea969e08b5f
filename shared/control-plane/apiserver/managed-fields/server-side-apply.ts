import { badRequest, internal } from '../../apimachinery/errors/factories.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, timestamp } from '../../apimachinery/objects.ts'
import { applyConfiguration } from './apply.ts'
import { applyConflict, type Conflict } from './conflicts.ts'
import { difference, type FieldSet, isEmptySet } from './fields/field-set.ts'
import { takenOver, withLastApplied } from './last-applied.ts'
import { type Manager, managedFields, managersOf } from './managers.ts'
import { type Tracking, updatedManagers } from './track.ts'
import { problemsText, typeProblems } from './types/type-problems.ts'
import { MisfitError } from './versions.ts'

/** Applier, and the rules of the apply. */
export interface ApplyRequest extends Tracking {
  readonly kind: string
  readonly force: boolean
}

/** Owns what an object had before the first apply, where no owner was known. */
const BEFORE_FIRST_APPLY = 'before-first-apply'

/**
 * Returns the object after a server-side apply, with `metadata.managedFields`. `live` is undefined if the
 * apply creates it. Types and defaults are still to be checked and filled in.
 *
 * Throws as the real server answers: 400 for another kind or with managedFields; 500 for fields that the
 * schema does not have, for duplicate keys, and if an owner's version does not have what the object has; 409
 * with a cause for each field in conflict.
 */
export function serverSideApply(
  live: KubeObject | undefined,
  configuration: JsonObject,
  request: ApplyRequest,
): JsonObject {
  checkKind(configuration, request)
  const known = knownManagers(live, request)
  checkConfiguration(configuration, request)
  if (live && request.isCustomResource) checkFits(live, request)
  const { manager: name, apiVersion, subresource = '', type, now } = request
  const before = live ? withoutManagers(live) : request.blank
  const { object, managers, conflicts } = orInternal(() =>
    applyConfiguration(before, configuration, known, {
      ...request,
      manager: { name, operation: 'Apply', apiVersion, subresource },
      time: timestamp(now),
    }),
  )
  const refused = request.force ? [] : withoutFields(conflicts, takenOver(before, name, apiVersion, type))
  if (refused.length > 0) throw applyConflict(refused)
  const result = withLastApplied(object, configuration, name)
  const entries = managedFields(managers)
  return {
    ...result,
    metadata: { ...objectAt(result, 'metadata'), ...(entries ? { managedFields: entries } : {}) },
  }
}

function withoutFields(conflicts: readonly Conflict[], allowed: FieldSet): Conflict[] {
  return conflicts
    .map(({ manager, fields }) => ({ manager, fields: difference(fields, allowed) }))
    .filter(({ fields }) => !isEmptySet(fields))
}

function checkKind(configuration: JsonObject, { apiVersion, kind }: ApplyRequest): void {
  if (stringAt(configuration, 'apiVersion') !== apiVersion || configuration.kind !== kind) {
    throw badRequest(`invalid object type: ${kindOf(configuration)}`)
  }
}

function checkConfiguration(configuration: JsonObject, { type }: ApplyRequest): void {
  if (Array.isArray(objectAt(configuration, 'metadata').managedFields)) {
    throw badRequest('metadata.managedFields must be nil')
  }
  const problems = typeProblems(configuration, type)
  if (problems.length === 0) return
  throw internal(`failed to create typed patch object (${nameOf(configuration)}): ${problemsText(problems)}`)
}

/** Checks that a stored object fits: its schema may have been another one. */
function checkFits(live: KubeObject, { type }: ApplyRequest): void {
  const problems = typeProblems(withoutManagers(live), type, { allowDuplicates: true })
  if (problems.length === 0) return
  throw internal(`failed to create typed live object (${nameOf(live)}): ${problemsText(problems)}`)
}

/** Names an object as upstream's errors do: `shop/cart; example.org/v1, Kind=Gear`. */
function nameOf(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata')
  return `${stringAt(metadata, 'namespace')}/${stringAt(metadata, 'name')}; ${kindOf(object)}`
}

function kindOf(object: JsonObject): string {
  return `${goGroupVersion(stringAt(object, 'apiVersion'))}, Kind=${stringAt(object, 'kind')}`
}

function orInternal<Result>(run: () => Result, failure = ''): Result {
  try {
    return run()
  } catch (error) {
    throw error instanceof MisfitError ? internal(`${failure}${error.message}`) : error
  }
}

/** Formats a group-version. That of the core group has an empty group before it. */
function goGroupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
}

function knownManagers(live: KubeObject | undefined, request: ApplyRequest): Manager[] {
  if (!live) return []
  const managers = managersOf(live)
  if (!managers)
    throw internal('failed to decode managed fields: an entry of metadata.managedFields is malformed')
  if (managers.length > 0) return managers
  return orInternal(
    () => updatedManagers([], live, undefined, { ...request, manager: BEFORE_FIRST_APPLY }),
    `failed to create manager for existing fields: failed to convert new object (${nameOf(live)}) to smd typed: `,
  )
}

function withoutManagers(live: KubeObject): JsonObject {
  const { managedFields: _entries, ...metadata } = live.metadata
  return { ...live, metadata }
}
