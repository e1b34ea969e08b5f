import {
  type CompiledJoin,
  combined,
  type Failure,
  isFailure,
  type Row,
  runJoin,
} from '../../pipeline/index.ts'
import { JoinIndex } from './join-index.ts'
import type { SourceChange } from './pipeline-state.ts'

/** Keeps the combinations that a join lets through, and knows which of them an object stands in. */
export class JoinState {
  readonly #join: CompiledJoin
  readonly #index: JoinIndex
  /** Ids of joined rows, by source and key of an object in them. */
  readonly #rowsOf: Map<string, Set<string>>[]
  readonly #objectsOf = new Map<string, readonly string[]>()

  constructor(join: CompiledJoin) {
    this.#join = join
    this.#index = new JoinIndex(join)
    this.#rowsOf = join.kinds.map(() => new Map())
  }

  apply(changes: readonly SourceChange[], failures: Failure[]): { id: string; row: Row | undefined }[] {
    const rows = new Map<string, Row | undefined>()
    for (const { source, key, object } of changes) {
      for (const id of this.#rowsOf[source]?.get(key) ?? []) rows.set(id, undefined)
      this.#index.set(source, key, object)
    }
    for (const row of this.#candidates(changes)) {
      if (this.#passes(row, failures)) rows.set(row.id, row)
    }
    for (const [id, row] of rows) this.#note(id, row)
    return [...rows].map(([id, row]) => ({ id, row }))
  }

  /** Collects every combination in which a changed object stands, once. */
  #candidates(changes: readonly SourceChange[]): Iterable<Row> {
    const candidates = new Map<string, Row>()
    for (const { source, key } of changes) {
      const object = this.#index.get(source, key)
      if (object === undefined) continue
      for (const objects of this.#index.combinations(source, { key, object })) {
        const row = combined(this.#join.kinds, objects)
        candidates.set(row.id, row)
      }
    }
    return candidates.values()
  }

  #passes(row: Row, failures: Failure[]): boolean {
    const outcome = runJoin(this.#join, row)
    if (!isFailure(outcome)) return outcome
    failures.push(outcome)
    return false
  }

  #note(id: string, row: Row | undefined): void {
    const objects = row?.origins[0]?.objects ?? this.#objectsOf.get(id) ?? []
    if (row === undefined) this.#objectsOf.delete(id)
    else this.#objectsOf.set(id, objects)
    for (const [source, key] of objects.entries()) {
      const rowsOf = this.#rowsOf[source]
      const ids = rowsOf?.get(key) ?? new Set()
      if (row === undefined) ids.delete(id)
      else ids.add(id)
      if (ids.size === 0) rowsOf?.delete(key)
      else rowsOf?.set(key, ids)
    }
  }
}
