import type { Environment } from '../../expressions/index.ts'
import { type CompiledPipeline, compilePipeline, type Failure } from '../../pipeline/index.ts'
import type { ControllerSpec, SourceSpec } from '../../spec/index.ts'
import { IncrementalPipeline } from './incremental.ts'
import type { PipelineState, SourceChange } from './pipeline-state.ts'
import type { Transition } from './predicate.ts'
import { SnapshotPipeline } from './snapshot.ts'
import { SourceState } from './source-state.ts'
import { type TargetChange, TargetTable } from './target-table.ts'

/** A source that is an input of its controller's pipeline. */
export interface Input {
  readonly spec: SourceSpec
  readonly state: SourceState
}

/** State of one controller: its sources, its pipeline, and the objects of its target. */
export class ControllerState {
  readonly spec: ControllerSpec
  /** Its place in the spec. */
  readonly number: number
  readonly inputs: readonly Input[]
  readonly pipeline: CompiledPipeline
  readonly table = new TargetTable()
  readonly #state: PipelineState
  #pending = new Map<string, { source: number; key: string } & Transition>()

  constructor(
    spec: ControllerSpec,
    number: number,
    { mode, environment }: { mode: 'incremental' | 'snapshot'; environment: Environment },
  ) {
    this.spec = spec
    this.number = number
    this.inputs = spec.sources
      .filter(({ type }) => type !== 'Periodic')
      .map((source) => ({ spec: source, state: new SourceState(source) }))
    this.pipeline = compilePipeline(spec, environment)
    this.#state =
      mode === 'snapshot'
        ? new SnapshotPipeline(this.pipeline, this.inputs.length)
        : new IncrementalPipeline(this.pipeline)
  }

  get isPending(): boolean {
    return this.#pending.size > 0
  }

  /** Notes a change of a source's object; several changes of one object become one. */
  note(source: number, key: string, { old, object }: Transition): void {
    const id = `${source} ${key}`
    const known = this.#pending.get(id)
    this.#pending.set(id, { source, key, old: known === undefined ? old : known.old, object })
  }

  forgetPending(): void {
    this.#pending.clear()
  }

  /** Processes the noted changes. */
  run(): { changes: TargetChange[]; failures: readonly Failure[] } {
    const pending = this.#pending
    this.#pending = new Map()
    const changes: SourceChange[] = []
    for (const { source, key, old, object } of pending.values()) {
      const state = this.inputs[source]?.state
      if (state?.take(key, { old, object })) changes.push({ source, key, object: state.get(key) })
    }
    if (changes.length === 0) return { changes: [], failures: [] }
    const { results, failures } = this.#state.apply(changes)
    return { changes: this.table.apply(results), failures }
  }
}
