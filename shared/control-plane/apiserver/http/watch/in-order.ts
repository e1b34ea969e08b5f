/** Maximum number of waiting steps: more mean that the first one never gets what it waits for. */
const MOST_WAITING = 10_000

/** Runs steps in the order in which they come, though some wait for what they need: later ones wait, too. */
export class InOrder {
  readonly #onFailure: (error: unknown) => void
  #tail: Promise<void> | undefined
  #waiting = 0
  #hasFailed = false

  /**
   * @param onFailure called when a step fails, what it needs does not come, or too many wait; no step runs
   *   after that
   */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  /** Runs the step with what it needs, at once if that is there and none waits; throws what it throws. */
  run<T>(needed: T | Promise<T>, step: (value: T) => void): void {
    if (this.#tail === undefined && !(needed instanceof Promise)) {
      if (!this.#hasFailed) this.#now(needed, step)
      return
    }
    // A failure is reported in its turn.
    Promise.resolve(needed).catch(() => undefined)
    if (++this.#waiting > MOST_WAITING) {
      this.#fail(new Error(`failed to keep more than ${MOST_WAITING} steps that wait`))
      return
    }
    const tail = this.#after(this.#tail, needed, step).then(() => {
      this.#waiting--
      if (this.#tail === tail) this.#tail = undefined
    })
    this.#tail = tail
  }

  #now<T>(value: T, step: (value: T) => void): void {
    try {
      step(value)
    } catch (error) {
      this.#fail(error)
      throw error
    }
  }

  async #after<T>(
    before: Promise<void> | undefined,
    needed: T | Promise<T>,
    step: (value: T) => void,
  ): Promise<void> {
    try {
      await before
      const value = await needed
      if (!this.#hasFailed) step(value)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#onFailure(error)
  }
}
