import { equal, type JsonObject } from '../../json/index.ts'
import { type CompiledPipeline, evaluatePipeline, type Failure, type Result } from '../../pipeline/index.ts'
import type { PipelineState, ResultChange, SourceChange } from './pipeline-state.ts'

/** Computes everything again at every change, and reports the difference. */
export class SnapshotPipeline implements PipelineState {
  readonly #pipeline: CompiledPipeline
  readonly #inputs: Map<string, JsonObject>[]
  #results: ReadonlyMap<string, Result> = new Map()
  #failures: ReadonlyMap<string, Failure> = new Map()

  /** @param sources how many inputs there are */
  constructor(pipeline: CompiledPipeline, sources: number) {
    this.#pipeline = pipeline
    this.#inputs = Array.from({ length: sources }, () => new Map())
  }

  apply(changes: readonly SourceChange[]): { results: ResultChange[]; failures: Failure[] } {
    for (const { source, key, object } of changes) {
      if (object === undefined) this.#inputs[source]?.delete(key)
      else this.#inputs[source]?.set(key, object)
    }
    const inputs = this.#inputs.map((objects) => [...objects].map(([key, object]) => ({ key, object })))
    const evaluation = evaluatePipeline(this.#pipeline, inputs)
    const results = this.#resultChanges(new Map(evaluation.results.map((result) => [result.id, result])))
    return { results, failures: this.#newFailures(evaluation.failures) }
  }

  #resultChanges(results: ReadonlyMap<string, Result>): ResultChange[] {
    const before = this.#results
    this.#results = results
    const changes: ResultChange[] = []
    for (const [id, old] of before) if (!results.has(id)) changes.push({ id, old, result: undefined })
    for (const [id, result] of results) {
      const old = before.get(id)
      if (old === undefined || !equal(old.value, result.value)) changes.push({ id, old, result })
    }
    return changes
  }

  #newFailures(failures: readonly Failure[]): Failure[] {
    const before = this.#failures
    this.#failures = new Map(failures.map((failure) => [`${failure.step} ${failure.row.id}`, failure]))
    return failures.filter((failure) => {
      const known = before.get(`${failure.step} ${failure.row.id}`)
      return known === undefined || !equal(known.row.value, failure.row.value)
    })
  }
}
