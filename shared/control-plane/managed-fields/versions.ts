import type { JsonObject } from '../json.ts'
import type { MapType } from './types/merge-type.ts'
import { type Comparison, compareObjects } from './values/compare.ts'

/** The versions of a kind whose fields differ from version to version. */
export interface KindVersions {
  /** The rules of an apiVersion; undefined where the kind has no such version, or no longer. */
  typeOf(apiVersion: string): MapType | undefined
  convert(object: JsonObject, apiVersion: string): JsonObject
}

/** The version of a write, and the others of its kind. */
export interface WriteVersion {
  readonly apiVersion: string
  readonly type: MapType
  /** Undefined where all versions have the same fields. */
  readonly versions?: KindVersions | undefined
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

  /** Undefined where the kind has no such version: nobody can own fields of it. */
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
    const as = (object: JsonObject): JsonObject => versions.convert(object, apiVersion)
    return compareObjects(as(before), as(after), other)
  }
}
