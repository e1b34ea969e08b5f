import type { JsonObject } from '../../json/index.ts'
import type { Failure, Result } from '../../pipeline/index.ts'

/** A source's object as it is now; undefined: it is gone, or the source takes it no longer. */
export interface SourceChange {
  /** The source's number among those that are inputs. */
  readonly source: number
  readonly key: string
  readonly object: JsonObject | undefined
}

export interface ResultChange {
  readonly id: string
  /** undefined: the row is gone. */
  readonly old: Result | undefined
  readonly result: Result | undefined
}

/** Results of a pipeline, kept up to date with its sources. */
export interface PipelineState {
  /** Failures are reported when the row that fails is new or another than before. */
  apply(changes: readonly SourceChange[]): {
    readonly results: readonly ResultChange[]
    readonly failures: readonly Failure[]
  }
}
