import {
  type CompiledPipeline,
  type Failure,
  type Member,
  type Result,
  type Row,
  rowOf,
} from '../../pipeline/index.ts'
import { GatherState } from './gather-state.ts'
import { JoinState } from './join-state.ts'
import type { PipelineState, ResultChange, SourceChange } from './pipeline-state.ts'
import { SegmentState } from './segment-state.ts'

/** Recomputes only what a change affects: the object's rows, its partners in the join, their groups. */
export class IncrementalPipeline implements PipelineState {
  readonly #join: JoinState | undefined
  readonly #stages: readonly { segment: SegmentState<Member>; gather: GatherState }[]
  readonly #last: SegmentState<Result>

  constructor({ join, segments, gathers, last }: CompiledPipeline) {
    this.#join = join && new JoinState(join)
    this.#stages = gathers.flatMap((gather, index) => {
      const segment = segments[index]
      return segment === undefined
        ? []
        : [{ segment: new SegmentState(segment), gather: new GatherState(gather) }]
    })
    this.#last = new SegmentState(last)
  }

  apply(changes: readonly SourceChange[]): { results: ResultChange[]; failures: Failure[] } {
    const failures: Failure[] = []
    let rows = this.#join?.apply(changes, failures) ?? changes.map(singleRow)
    for (const { segment, gather } of this.#stages) {
      rows = gather.apply(segment.apply(rows, failures), failures)
    }
    const results = this.#last.apply(rows, failures).map(({ id, old, row }) => ({ id, old, result: row }))
    return { results, failures }
  }
}

const singleRow = ({ key, object }: SourceChange): { id: string; row: Row | undefined } => ({
  id: key,
  row: object && rowOf([key], object),
})
