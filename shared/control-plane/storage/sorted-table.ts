import type { KubeObject } from '../objects.ts'

/** Objects of one resource by key (`namespace/name`, or `name` where there are no namespaces), kept in the order of their keys. */
export class SortedTable {
  readonly #objects = new Map<string, KubeObject>()
  readonly #keys: string[] = []

  get size(): number {
    return this.#keys.length
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key)
  }

  set(key: string, object: KubeObject): void {
    if (!this.#objects.has(key)) this.#keys.splice(this.#position(key), 0, key)
    this.#objects.set(key, object)
  }

  delete(key: string): void {
    if (this.#objects.delete(key)) this.#keys.splice(this.#position(key), 1)
  }

  /** Keys that begin with the prefix, in order. */
  keys(prefix: string): string[] {
    const start = this.#position(prefix)
    // No key holds a code unit above this one, so it closes the range of the prefix.
    return prefix === '' ? [...this.#keys] : this.#keys.slice(start, this.#position(`${prefix}\uffff`))
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
