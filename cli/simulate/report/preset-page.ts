import {
  PHASES,
  type Phase,
  type PolicyName,
  type PresetResult,
  type WriteMeasures,
} from '../../../shared/simulation/index.ts'
import { type Html, renderFigure, renderPage } from '../../report/index.ts'
import { PHASE_TITLES, PRESET_COLUMNS, presetCells, presetText } from '../describe-preset.ts'
import { bytesText, countText } from '../text.ts'
import { amountsChart, colourOf, legendOf } from './amounts-chart.ts'

export function presetPage(result: PresetResult): string {
  return renderPage({
    title: `KEP-752, measured: ${presetText(result.preset)}`,
    lead: 'What the KEP estimates stands in the tables, beside what was simulated with the real planning.',
    sections: PHASES.flatMap((phase) => [
      phaseFigure(result, phase, 'writes'),
      phaseFigure(result, phase, 'bytesSent'),
    ]),
  })
}

const MEASURES = {
  writes: { name: 'writes', text: countText },
  bytesSent: { name: 'bytes sent to all nodes', text: bytesText },
} as const satisfies Partial<Record<keyof WriteMeasures, unknown>>

function phaseFigure(result: PresetResult, phase: Phase, measure: keyof typeof MEASURES): Html {
  const { name, text } = MEASURES[measure]
  const policies = Object.keys(result.policies) as PolicyName[]
  const title = `${PHASE_TITLES[phase]}: ${name}`
  const amounts = policies.map((policy) => {
    const value = result.policies[policy]?.[phase]?.[measure] ?? 0
    return { name: policy, colour: colourOf(policy), value, text: text(value) }
  })
  return renderFigure({
    title,
    note: 'The axis is logarithmic.',
    legend: legendOf(policies),
    drawing: amountsChart(title, amounts, text),
    table: { columns: PRESET_COLUMNS, rows: presetCells(result, phase) },
  })
}
