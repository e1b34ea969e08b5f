import type { LegendItem } from '../../../shared/report/index.ts'
import type { PolicyName } from '../../../shared/simulation/index.ts'

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
