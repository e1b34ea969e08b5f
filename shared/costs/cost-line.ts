/** A quantity at its price: `5.3 M requests × 0.5 $`. */
export interface Term {
  readonly quantity: number
  readonly unit: string
  /** Price of one unit, in US dollars. */
  readonly price: number
}

export const term = (quantity: number, unit: string, price: number): Term => ({ quantity, unit, price })

/** Monthly cost of one item: the sum of its terms. */
export interface CostLine {
  readonly what: string
  readonly terms: readonly Term[]
  /** Source of the quantities. */
  readonly why: string
}
