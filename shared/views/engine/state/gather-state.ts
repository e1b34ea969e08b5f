import { equal } from '../../json/index.ts'
import {
  type CompiledGather,
  type Failure,
  isFailure,
  type Member,
  type Row,
  runGather,
} from '../../pipeline/index.ts'
import type { RowChange } from './segment-state.ts'

interface Group {
  readonly members: Map<string, Member>
  /** Its row, when it has one. */
  row: Row | undefined
}

/** Keeps the members of every group; a change costs what its own group costs. */
export class GatherState {
  readonly #gather: CompiledGather
  readonly #groups = new Map<string, Group>()

  constructor(gather: CompiledGather) {
    this.#gather = gather
  }

  apply(changes: readonly RowChange<Member>[], failures: Failure[]): RowChange<Row>[] {
    const touched = new Set<string>()
    for (const { id, old, row } of changes) {
      if (old !== undefined) {
        this.#groups.get(old.group)?.members.delete(id)
        touched.add(old.group)
      }
      if (row !== undefined) {
        this.#groupOf(row.group).members.set(id, row)
        touched.add(row.group)
      }
    }
    return [...touched].flatMap((group) => this.#change(group, failures))
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const group: Group = { members: new Map(), row: undefined }
    this.#groups.set(name, group)
    return group
  }

  #change(id: string, failures: Failure[]): RowChange<Row>[] {
    const group = this.#groupOf(id)
    const old = group.row
    group.row = this.#rowOf(id, group, failures)
    if (group.members.size === 0) this.#groups.delete(id)
    const { row } = group
    return old === row || (old !== undefined && row !== undefined && isSame(old, row))
      ? []
      : [{ id, old, row }]
  }

  #rowOf(id: string, { members }: Group, failures: Failure[]): Row | undefined {
    if (members.size === 0) return undefined
    const outcome = runGather(this.#gather, id, [...members.values()])
    if (!isFailure(outcome)) return outcome
    failures.push(outcome)
    return undefined
  }
}

const isSame = (old: Row, row: Row): boolean => equal(old.value, row.value)
