import { EvaluationError } from './errors.ts'

/**
 * Budget of the work for one object. A unit is one value looked at, or some characters of a text: about a
 * tenth of a microsecond. So large objects and clumsy specs hold up the others for a second at most.
 */
export class Work {
  readonly #limit: number
  readonly #doer: string
  #left: number

  /** @param doer for the message: what does the work */
  constructor(limit: number, doer: string) {
    this.#limit = limit
    this.#doer = doer
    this.#left = limit
  }

  /** @throws EvaluationError when more was done than may be */
  spend(units = 1): void {
    this.#left -= units
    if (this.#left >= 0) return
    throw new EvaluationError(
      `${this.#doer} looks at more than ${this.#limit} values, or their texts; make it more exact`,
    )
  }

  /** Spends for a list or text that is processed as a whole. */
  spendOn(length: number): void {
    this.spend(length / 5)
  }
}
