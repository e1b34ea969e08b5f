import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { MapType } from './types/merge-type.ts'
import { problemsText, typeProblems } from './types/type-problems.ts'
import { type Comparison, compareObjects } from './values/compare.ts'

/** The versions of a kind whose fields differ from version to version. */
export interface KindVersions {
  /** Returns the rules of an apiVersion; undefined if the kind has no such version, or no longer. */
  typeOf(apiVersion: string): MapType | undefined
  /** Converts an object to another version. Fields that this version does not have are kept. */
  convert(object: JsonObject, apiVersion: string): JsonObject
}

/** The version of a write, and the others of its kind. */
export interface WriteVersion {
  readonly apiVersion: string
  readonly type: MapType
  /** Undefined where all versions have the same fields. */
  readonly versions?: KindVersions | undefined
}

/** An object has fields or types that a version's schema does not: no manager can own its fields then. */
export class MisfitError extends Error {
  override readonly name = 'MisfitError'
}

/** Returns the rules of a version; undefined if the kind has no such version, or no longer. */
export function typeIn(
  apiVersion: string,
  { apiVersion: own, type, versions }: WriteVersion,
): MapType | undefined {
  return !versions || apiVersion === own ? type : versions.typeOf(apiVersion)
}

/**
 * Converts the object to a version that the kind has. Throws MisfitError if the schema of that version does
 * not fit it.
 * @param failure upstream's words for that
 */
export function converted(
  object: JsonObject,
  apiVersion: string,
  write: WriteVersion,
  failure = '',
): JsonObject {
  const { versions } = write
  if (!versions || object.apiVersion === apiVersion) return object
  const result = versions.convert(object, apiVersion)
  const type = typeIn(apiVersion, write)
  const problems = type ? typeProblems(result, type) : []
  if (problems.length > 0) throw new MisfitError(`${failure}${problemsText(problems)}`)
  return result
}

/** Two states of an object, compared as whichever version a manager's fields are of. */
export class VersionedComparison {
  readonly #pair: readonly [before: JsonObject, after: JsonObject]
  readonly #write: WriteVersion
  readonly #known = new Map<string, Comparison | undefined>()

  constructor(before: JsonObject, after: JsonObject, write: WriteVersion) {
    this.#pair = [before, after]
    this.#write = write
  }

  /**
   * Compares in a version. Undefined if the kind has no such version: no manager can own fields of it. Throws
   * MisfitError if its schema does not fit.
   */
  in(apiVersion: string): Comparison | undefined {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, this.#compare(apiVersion))
    return this.#known.get(apiVersion)
  }

  #compare(apiVersion: string): Comparison | undefined {
    const [before, after] = this.#pair
    const { type, versions } = this.#write
    if (!versions || apiVersion === this.#write.apiVersion) return compareObjects(before, after, type)
    const other = versions.typeOf(apiVersion)
    if (!other) return undefined
    const was = converted(before, apiVersion, this.#write, 'failed to convert old object: ')
    const is = converted(after, apiVersion, this.#write, 'failed to convert new object: ')
    return compareObjects(was, is, other)
  }
}
