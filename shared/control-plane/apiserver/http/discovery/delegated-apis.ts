import type { JsonObject } from '../../../apimachinery/json/index.ts'
import type { Exchange } from '../exchange.ts'

/** A group with its versions, the preferred one first. */
export interface GroupVersions {
  readonly group: string
  readonly versions: readonly string[]
}

/** What APIServices say: in which order groups come, and which of them other servers serve. */
export interface DelegatedApis {
  /**
   * Answers a request that another server serves; false, and nothing done, for one that this server serves.
   */
  serve(exchange: Exchange): boolean
  /** Whether another server serves this path. */
  has(path: string): boolean
  /** The groups that have an APIService, without the core group, in the order of legacy discovery. */
  listed(): readonly GroupVersions[]
  /**
   * All groups that are served here or elsewhere, without the core group, in the order of aggregated
   * discovery.
   */
  ordered(): readonly GroupVersions[]
  /**
   * What aggregated discovery says of a group-version that another server serves; undefined for one of this
   * server.
   */
  entry(groupVersion: { readonly group: string; readonly version: string }): JsonObject | undefined
  /** Entries of OpenAPI v3's index that other servers serve, by path as `apis/example.com/v1`. */
  openApiPaths(): JsonObject
  /** What other servers tell of their group-versions by OpenAPI v2, and nothing else of theirs. */
  openApiV2(): readonly JsonObject[]
  /** Grows with every change of what `openApiV2` returns. */
  readonly openApiGeneration: number
}
