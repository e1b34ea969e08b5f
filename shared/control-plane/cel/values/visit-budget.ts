import { CelError } from '../errors.ts'
import { CelMap, type CelValue, isList, Optional } from './value.ts'

/** Maximum number of inner values that the functions of one evaluation read, some half a second's work. */
const VISITS = 5_000_000

/**
 * Number of inner values that an evaluation may still read. Expressions can put one list into another
 * twice, again and again. The value stays small while what it unfolds to doubles each time, and upstream's
 * costs count its outermost elements alone.
 */
export class VisitBudget {
  #left: number

  constructor(visits = VISITS) {
    this.#left = visits
  }

  /** Throws CelError where less is left. */
  take(visits: number): void {
    this.#left -= visits
    if (this.#left < 0) throw new CelError('the values that the expression makes are too large')
  }

  /** Counts all that a value unfolds to. Throws CelError where less is left. */
  walk(value: CelValue): void {
    this.take(1)
    if (isList(value)) for (const item of value) this.walk(item)
    else if (value instanceof CelMap) for (const key of value.keys()) this.walk(value.get(key) ?? null)
    else if (value instanceof Optional && value.value !== undefined) this.walk(value.value)
  }
}
