import {
  PHASES,
  type Phase,
  type PolicyName,
  PRESETS,
  type PresetName,
  type PresetResult,
} from '../../shared/simulation/index.ts'
import { KEP_FIGURES } from './kep-figures.ts'
import { bytesText, countText, tableText } from './text.ts'

export const PHASE_TITLES: Readonly<Record<Phase, string>> = {
  create: 'The Service is made',
  update: 'One endpoint changes',
  rolling: 'A rolling update of all endpoints',
}

/** Writes the tables of the KEP, with what was simulated beside what it says. */
export function describePreset(result: PresetResult): string {
  const head = `${presetText(result.preset)}, beside the figures of KEP-752\n`
  const tables = PHASES.map((phase) => {
    return `\n${PHASE_TITLES[phase]}\n${tableText([PRESET_COLUMNS, ...presetCells(result, phase)])}`
  })
  return head + tables.join('')
}

/** Columns of {@link presetCells}. */
export const PRESET_COLUMNS = [
  'policy',
  'writes',
  'KEP',
  'watch events',
  'an event',
  'KEP',
  'sent',
  'KEP',
  'stored',
] as const

export function presetText(preset: PresetName): string {
  const { endpoints, nodes } = PRESETS[preset]
  return `${countText(endpoints)} endpoints on ${countText(nodes)} nodes`
}

/** Writes what a phase costs by each policy beside the KEP's figures, as texts. */
export const presetCells = ({ preset, policies }: PresetResult, phase: Phase): string[][] =>
  (Object.keys(policies) as PolicyName[]).map((name) => {
    const measured = policies[name]?.[phase]
    const kep = KEP_FIGURES[preset][phase][name]
    const writes = measured?.writes ?? 0
    return [
      name,
      countText(writes),
      kep === undefined ? '' : countText(kep.writes),
      countText(measured?.watchEvents ?? 0),
      bytesText((measured?.bytesSent ?? 0) / Math.max(1, measured?.watchEvents ?? 0)),
      kep?.object ?? '',
      bytesText(measured?.bytesSent ?? 0),
      kep?.sent ?? '',
      bytesText(measured?.bytesStored ?? 0),
    ]
  })
