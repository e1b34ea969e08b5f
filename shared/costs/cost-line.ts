/** A quantity at its price: `5.3 M requests × 0.5 $`. */
export interface Term {
  readonly quantity: number
  readonly unit: string
  /** Of one unit, in US dollars. */
  readonly price: number
}

/** What one thing costs a month: the sum of its terms. */
export interface CostLine {
  readonly what: string
  readonly terms: readonly Term[]
  /** Where the quantities come from. */
  readonly why: string
}
