import { EvaluationError } from '../errors.ts'
import type { Segment, Step } from './compile.ts'
import { type CompiledGather, gathered } from './gather.ts'
import type { CompiledJoin } from './join.ts'
import type { Failure, Member, Row } from './row.ts'

/** Returns the rows of a row, or a step's failure, which drops them all: half an object would be wrong. */
export function runSegment<Output extends Row>(
  { steps, finish }: Segment<Output>,
  row: Row,
): readonly Output[] | Failure {
  let rows: readonly Row[] = [row]
  for (const step of steps) {
    const after = runStep(step, rows, row)
    if (isFailure(after)) return after
    rows = after
  }
  return runStep(finish, rows, row)
}

function runStep<Output extends Row>(
  { run, index, op }: Step<Output>,
  rows: readonly Row[],
  row: Row,
): readonly Output[] | Failure {
  return attempt({ index, op, row }, () => rows.flatMap((one) => run(one)))
}

/** Makes the row of a group, or returns why there is none. */
export const runGather = (gather: CompiledGather, group: string, members: readonly Member[]): Row | Failure =>
  attempt(
    {
      index: gather.index,
      op: '@gather',
      row: { id: group, value: null, origins: members.flatMap(({ origins }) => origins) },
    },
    () => gathered(gather, group, members),
  )

/** Reports whether a combination that meets the equalities is joined, or why that cannot be decided. */
export const runJoin = (join: CompiledJoin, row: Row): boolean | Failure =>
  attempt({ index: join.index, op: '@join', row }, () => join.matches(row))

function attempt<T>(at: { index: number; op: string; row: Row }, evaluate: () => T): T | Failure {
  try {
    return evaluate()
  } catch (error) {
    // A RangeError: a text or a nesting beyond what the machine can hold.
    if (!(error instanceof EvaluationError || error instanceof RangeError)) throw error
    return { step: at.index, op: at.op, message: error.message, row: at.row }
  }
}

export const isFailure = <T>(result: T | Failure): result is Failure =>
  typeof result === 'object' && result !== null && 'op' in result && 'message' in result
