import { dot, gridX, ruleY, text } from '@observablehq/plot'
import type { PolicyName } from '../../../shared/simulation/index.ts'
import { type Html, type LegendItem, renderChart } from '../../report/index.ts'

const COLOURS: Readonly<Record<PolicyName, string>> = {
  endpoints: 'var(--series-1)',
  single: 'var(--series-2)',
  'in-tree': 'var(--series-3)',
  compact: 'var(--series-4)',
  noisy: 'var(--series-5)',
}

export const colourOf = (policy: PolicyName): string => COLOURS[policy]

export const legendOf = (policies: Iterable<PolicyName>): LegendItem[] =>
  [...new Set(policies)].map((name) => ({ name, colour: COLOURS[name] }))

export interface Amount {
  readonly name: string
  readonly colour: string
  readonly value: number
  readonly text: string
  /** Begin of a line to it; default: it has none. */
  readonly from?: number
}

/** Nothing of what is drawn is less, and a logarithmic axis has no 0. */
const LEAST = 0.1
const ROW_HEIGHT = 36

/**
 * Draws amounts, a row each, with their values written beside them. They differ by factors of thousands, so
 * the axis is logarithmic; as bars of such an axis begin nowhere, they are dots.
 */
export function amountsChart(
  label: string,
  amounts: readonly Amount[],
  tickText: (value: number) => string,
): Html {
  const drawn = amounts.flatMap((amount) =>
    amount.value > 0 ? [{ ...amount, start: Math.max(amount.from ?? amount.value, LEAST) }] : [],
  )
  const { domain, ticks } = logarithmicAxis(drawn.flatMap(({ start, value }) => [start, value]))
  const fill = ({ colour }: Amount): string => colour
  const y = 'name'
  return renderChart(label, () => ({
    height: amounts.length * ROW_HEIGHT + 40,
    marginLeft: 24,
    marginRight: 72,
    marginTop: 16,
    x: { type: 'log', domain, ticks, tickFormat: tickText, label: null },
    y: { domain: amounts.map(({ name }) => name), axis: null },
    marks: [
      gridX({ ticks }),
      text(amounts, { frameAnchor: 'left', y, text: y, dy: -13 }),
      ruleY(drawn, { x1: 'start', x2: 'value', y, stroke: fill, strokeWidth: 3 }),
      dot(drawn, { x: 'value', y, r: 5, fill, title: ({ name, text }: Amount) => `${name}: ${text}` }),
      text(drawn, { x: 'value', y, text: 'text', dx: 10, textAnchor: 'start' }),
    ],
  }))
}

/** Chooses powers of ten around the values; of two, 2 and 5 times the first as well. */
function logarithmicAxis(values: readonly number[]): { domain: [number, number]; ticks: number[] } {
  const [least, most] = values.length === 0 ? [1, 1] : [Math.min(...values), Math.max(...values)]
  const first = Math.floor(Math.log10(least))
  const last = Math.max(first + 1, Math.ceil(Math.log10(most)))
  const steps = last - first === 1 ? [1, 2, 5] : [1]
  const every = Math.ceil((last - first) / 6)
  const powers = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
  const ticks = powers
    .filter((_, index) => index % every === 0)
    .flatMap((power) => steps.map((step) => power * step))
  return { domain: [10 ** first, 10 ** last], ticks: ticks.filter((tick) => tick <= 10 ** last) }
}
