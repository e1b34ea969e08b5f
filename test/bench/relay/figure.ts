/** One thing that was measured. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The value must be below, or above; absent: for information. */
  readonly goal?: { readonly below: number } | { readonly above: number }
}

export const figure = (name: string, value: number, unit: string, goal?: Figure['goal']): Figure => ({
  ...{ name, value, unit },
  ...(goal && { goal }),
})

export const isMet = ({ value, goal }: Figure): boolean => {
  if (goal === undefined) return true
  return 'below' in goal ? value < goal.below : value > goal.above
}

/** Formats a row of a table: name, value, goal, whether it is met. */
export function rowOf(figure: Figure): string {
  const { name, value, unit, goal } = figure
  const text = value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 })
  const asked = goal === undefined ? '' : 'below' in goal ? `below ${goal.below}` : `above ${goal.above}`
  const verdict = goal === undefined ? '' : isMet(figure) ? 'yes' : 'NO'
  return `| ${name} | ${text} ${unit} | ${asked} | ${verdict} |`
}
