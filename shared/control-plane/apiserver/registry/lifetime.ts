/** The time for which something is served. Its dependents are called once, at its end. */
export class Lifetime {
  readonly #listeners = new Set<() => void>()
  #isOver = false

  /** Calls the listener at the end, at once where that has been; returns what takes the listener back. */
  onEnd(listener: () => void): () => void {
    if (this.#isOver) listener()
    else this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  end(): void {
    this.#isOver = true
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}
