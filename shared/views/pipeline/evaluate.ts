import type { CompiledPipeline } from './compile.ts'
import { type CompiledJoin, combined, joinKeyText, type SourceObject } from './join.ts'
import { type Failure, type Member, type Result, type Row, rowOf } from './row.ts'
import { isFailure, runGather, runJoin, runSegment } from './run-segment.ts'

interface Evaluation {
  readonly results: readonly Result[]
  readonly failures: readonly Failure[]
}

/**
 * Evaluates a pipeline on these objects from scratch:
 * 1. every combination of one object a source, of which those that the join's condition accepts go on;
 * 2. every row through the steps up to the next `@gather`;
 * 3. every group that `@gather` makes is a row again, and so on to the end.
 * @param inputs the objects of each source, in the order of the sources
 */
export function evaluatePipeline(
  { join, segments, gathers, last }: CompiledPipeline,
  inputs: readonly (readonly SourceObject[])[],
): Evaluation {
  const failures: Failure[] = []
  const succeeded = <T>(outcome: T | Failure): T[] => {
    if (!isFailure(outcome)) return [outcome]
    failures.push(outcome)
    return []
  }
  let rows: Row[] =
    join === undefined
      ? (inputs[0] ?? []).map(({ key, object }) => rowOf([key], object))
      : combinations(join, inputs).filter((row) => succeeded(runJoin(join, row))[0] === true)
  for (const [index, segment] of segments.entries()) {
    const gather = gathers[index]
    const members = rows.flatMap((row) => succeeded(runSegment(segment, row)).flat())
    if (gather !== undefined) {
      const groups = Map.groupBy(members, (member: Member) => member.group)
      rows = [...groups].flatMap(([group, list]) => succeeded(runGather(gather, group, list)))
    }
  }
  return { results: rows.flatMap((row) => succeeded(runSegment(last, row)).flat()), failures }
}

/** Returns every combination of one object a source that meets the equalities. */
function combinations(join: CompiledJoin, inputs: readonly (readonly SourceObject[])[]): Row[] {
  let chosen: (readonly SourceObject[])[] = [[]]
  for (const objects of inputs) {
    chosen = chosen.flatMap((before) =>
      objects.map((one) => [...before, one]).filter((objects) => meetsEqualities(join, objects)),
    )
  }
  return chosen.map((objects) => combined(join.kinds, objects))
}

/** Reports whether the objects chosen so far meet the equalities; with a side not yet chosen, one is met. */
function meetsEqualities({ equalities }: CompiledJoin, objects: readonly SourceObject[]): boolean {
  return equalities.every(([left, right]) => {
    const [one, other] = [objects[left.source], objects[right.source]]
    if (one === undefined || other === undefined) return true
    const text = joinKeyText(left.path, one.object)
    return text !== undefined && text === joinKeyText(right.path, other.object)
  })
}
