import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { Exchange } from '../exchange.ts'

/** A group with its versions, the preferred one first. */
export interface GroupVersions {
  readonly group: string
  readonly versions: readonly string[]
}

/** Content of APIServices: the order of groups, and which of them other servers serve. */
export interface DelegatedApis {
  /** Answers a request that another server serves; false, and nothing done, for one of this server. */
  serve(exchange: Exchange): boolean
  /** Reports whether another server serves this path. */
  has(path: string): boolean
  /** Returns the groups that have an APIService, without the core group, in the order of legacy discovery. */
  listed(): readonly GroupVersions[]
  /** Returns all groups, served here or elsewhere, but the core group, in aggregated discovery's order. */
  ordered(): readonly GroupVersions[]
  /** Returns aggregated discovery's entry for a group-version of another server; undefined for our own. */
  entry(groupVersion: { readonly group: string; readonly version: string }): JsonObject | undefined
  /** Returns OpenAPI v3's index entries of other servers, by path, such as `apis/example.com/v1`. */
  openApiPaths(): JsonObject
  /** Returns the OpenAPI v2 documents of other servers, with their own group-versions only. */
  openApiV2(): readonly JsonObject[]
  /** Grows with every change of what `openApiV2` returns. */
  readonly openApiGeneration: number
}
