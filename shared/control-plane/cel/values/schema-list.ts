import type { CelValue } from './value.ts'

/** A custom resource's list that is a set or a map by its schema: neither has an order. */
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
}
