import { equal, type JsonObject } from '../../json/index.ts'
import type { Result } from '../../pipeline/index.ts'
import type { ResultChange } from './pipeline-state.ts'

/** A change of one object of the target. */
export interface TargetChange {
  readonly key: string
  /** undefined: there was nothing. */
  readonly old: JsonObject | undefined
  /** undefined: nothing gives this object any more. */
  readonly object: JsonObject | undefined
}

/**
 * Rows by the object of a controller's target that they give. Several rows may give the same object. It stays
 * until the last of them is gone. It is as the row with the greatest id says (the last by namespace, name and
 * list element), whatever came first.
 */
export class TargetTable {
  readonly #rows = new Map<string, Map<string, Result>>()
  /** Dropped rows by their ids. */
  readonly #dropped = new Map<string, Result>()

  apply(changes: readonly ResultChange[]): TargetChange[] {
    const before = new Map<string, Result | undefined>()
    const touch = (key: string): void => {
      if (!before.has(key)) before.set(key, this.get(key))
    }
    for (const { id, old } of changes) {
      this.#dropped.delete(id)
      if (old === undefined) continue
      touch(old.key)
      this.#delete(old.key, id)
    }
    for (const { result } of changes) {
      if (result === undefined) continue
      touch(result.key)
      this.#set(result)
    }
    return [...before].flatMap(([key, old]) => this.#difference(key, old))
  }

  /** Returns the row that gives an object. */
  get(key: string): Result | undefined {
    let best: Result | undefined
    for (const row of this.#rows.get(key)?.values() ?? []) {
      if (best === undefined || row.id > best.id) best = row
    }
    return best
  }

  /** Leaves out an object's row that could not be written, until it changes or all is written again. */
  drop(key: string): void {
    const row = this.get(key)
    if (row === undefined) return
    this.#delete(key, row.id)
    this.#dropped.set(row.id, row)
  }

  /** Returns every object, also those whose rows were dropped. */
  all(): TargetChange[] {
    for (const row of this.#dropped.values()) this.#set(row)
    this.#dropped.clear()
    return [...this.#rows.keys()].map((key) => {
      const object = this.get(key)?.value
      return { key, old: object, object }
    })
  }

  #set(row: Result): void {
    const rows = this.#rows.get(row.key)
    if (rows === undefined) this.#rows.set(row.key, new Map([[row.id, row]]))
    else rows.set(row.id, row)
  }

  #delete(key: string, id: string): void {
    const rows = this.#rows.get(key)
    rows?.delete(id)
    if (rows?.size === 0) this.#rows.delete(key)
  }

  #difference(key: string, before: Result | undefined): TargetChange[] {
    const old = before?.value
    const object = this.get(key)?.value
    return equal(old, object) ? [] : [{ key, old, object }]
  }
}
