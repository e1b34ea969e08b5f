/** One thing that was measured. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The value must be below, or above; absent: for information. */
  readonly goal?: { readonly below: number } | { readonly above: number }
}

export const isMet = ({ value, goal }: Figure): boolean => {
  if (goal === undefined) return true
  return 'below' in goal ? value < goal.below : value > goal.above
}
