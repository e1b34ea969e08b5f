import { isEqual } from './equality.ts'
import { CelMap, type CelValue } from './value.ts'
import type { VisitBudget } from './visit-budget.ts'

/** A list of a custom resource that its schema says is a set, or a map by keys of its items: both have no order. */
export class SchemaList extends Array<CelValue> {
  /** Undefined for a set. */
  readonly itemKeys: readonly string[] | undefined

  constructor(items: readonly CelValue[], keys: readonly string[] | undefined) {
    super()
    for (const item of items) this.push(item)
    this.itemKeys = keys
  }

  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  equals(other: readonly CelValue[], visits: VisitBudget): boolean {
    return this.every((item) => {
      const same = this.#sameIn(other, item, visits)
      return same !== undefined && isEqual(item, same, visits)
    })
  }

  /** With the items of the other list: in place of those with the same key, else behind them. */
  plus(other: readonly CelValue[], visits: VisitBudget): SchemaList {
    const kept = this.map((item) => this.#sameIn(other, item, visits) ?? item)
    const added = other.filter((item) => this.#sameIn(this, item, visits) === undefined)
    return new SchemaList([...kept, ...added], this.itemKeys)
  }

  #sameIn(list: readonly CelValue[], item: CelValue, visits: VisitBudget): CelValue | undefined {
    const { itemKeys: keys } = this
    if (!keys) return list.find((other) => isEqual(other, item, visits))
    return list.find((other) =>
      keys.every((key) => isEqual(memberOf(item, key), memberOf(other, key), visits)),
    )
  }
}

function memberOf(item: CelValue, key: string): CelValue {
  return item instanceof CelMap ? (item.get(key) ?? null) : null
}
