import type { StoredObject } from './stored-object.ts'

/** Objects of one resource by key, kept in the order of their keys. */
export class SortedTable {
  readonly #objects = new Map<string, StoredObject>()
  readonly #keys: string[] = []

  get size(): number {
    return this.#keys.length
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key)
  }

  set(object: StoredObject): void {
    const { key } = object
    if (!this.#objects.has(key)) this.#keys.splice(this.#position(key), 0, key)
    this.#objects.set(key, object)
  }

  delete(key: string): void {
    if (this.#objects.delete(key)) this.#keys.splice(this.#position(key), 1)
  }

  /** Returns the objects whose keys begin with the prefix, in order. */
  withPrefix(prefix: string): StoredObject[] {
    const start = this.#position(prefix)
    // No key holds a code unit above this one, so it closes the range of the prefix.
    const keys = prefix === '' ? this.#keys : this.#keys.slice(start, this.#position(`${prefix}\uffff`))
    return keys.flatMap((key) => this.#objects.get(key) ?? [])
  }

  #position(key: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] ?? '') < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
