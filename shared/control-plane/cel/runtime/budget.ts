import { MatchBudget } from '../../apiextensions/structural/pattern.ts'
import { CostError } from '../errors.ts'
import { VisitBudget } from '../values/visit-budget.ts'

/** Highest cost of one expression, as on the real server. */
export const COST_OF_ONE_EXPRESSION = 1_000_000
/** Highest cost of the rules of one object, or one policy, together. */
const COST_OF_ALL = 10_000_000

/** Cost that evaluations have left together, in the figures of the real server, which counts alike. */
export class CostBudget {
  readonly matches = new MatchBudget()
  readonly visits = new VisitBudget()
  #left: number

  constructor(cost = COST_OF_ALL) {
    this.#left = cost
  }

  get remaining(): number {
    return this.#left
  }

  /** Takes from the budget. Returns false if less is left. */
  take(cost: number): boolean {
    this.#left -= cost
    return this.#left >= 0
  }
}

/** Counts the cost of one evaluation. */
export class CostMeter {
  readonly matches: MatchBudget
  readonly visits: VisitBudget
  readonly #limit: number
  #spent = 0

  constructor(limit: number, { matches, visits }: Pick<CostBudget, 'matches' | 'visits'>) {
    this.#limit = limit
    this.matches = matches
    this.visits = visits
  }

  get spent(): number {
    return this.#spent
  }

  /** Throws CostError where it is more than there may be. */
  add(cost: number): void {
    this.#spent += cost
    if (this.#spent > this.#limit) throw new CostError()
  }
}
