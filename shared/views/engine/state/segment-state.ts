import { equal } from '../../json/index.ts'
import { type Failure, isFailure, type Row, runSegment, type Segment } from '../../pipeline/index.ts'

/** A row as it is now; undefined: it is gone. */
export interface RowChange<R extends Row> {
  readonly id: string
  readonly old: R | undefined
  readonly row: R | undefined
}

/** Remembers what each row became, so that it can be taken back. */
export class SegmentState<Output extends Row> {
  readonly #segment: Segment<Output>
  readonly #outputs = new Map<string, readonly Output[]>()

  constructor(segment: Segment<Output>) {
    this.#segment = segment
  }

  apply(changes: readonly { id: string; row: Row | undefined }[], failures: Failure[]): RowChange<Output>[] {
    return changes.flatMap(({ id, row }) => this.#change(id, row, failures))
  }

  #change(id: string, row: Row | undefined, failures: Failure[]): RowChange<Output>[] {
    const before = this.#outputs.get(id) ?? []
    const outcome = row === undefined ? [] : runSegment(this.#segment, row)
    if (isFailure(outcome)) failures.push(outcome)
    const after = isFailure(outcome) ? [] : outcome
    if (after.length === 0) this.#outputs.delete(id)
    else this.#outputs.set(id, after)
    return differences(before, after)
  }
}

function differences<Output extends Row>(
  before: readonly Output[],
  after: readonly Output[],
): RowChange<Output>[] {
  const gone = new Map(before.map((row) => [row.id, row]))
  const changes: RowChange<Output>[] = []
  for (const row of after) {
    const old = gone.get(row.id)
    gone.delete(row.id)
    if (old === undefined || !isSame(old, row)) changes.push({ id: row.id, old, row })
  }
  for (const [id, old] of gone) changes.push({ id, old, row: undefined })
  return changes
}

/** Compares two rows. Members of a group may differ in their group or item only. */
function isSame(old: Row & { group?: string; item?: unknown }, row: typeof old): boolean {
  return old.group === row.group && equal(old.value, row.value)
}
