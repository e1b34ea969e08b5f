import {
  PHASES,
  type Phase,
  type PolicyName,
  PRESETS,
  type PresetName,
  type PresetResult,
} from '../../shared/simulation/index.ts'
import { bytesText, countText, tableText } from './text.ts'

export const PHASE_TITLES: Readonly<Record<Phase, string>> = {
  create: 'The Service is made',
  update: 'One endpoint changes',
  rolling: 'A rolling update of all endpoints',
}

export function describePreset(result: PresetResult): string {
  const head = `${presetText(result.preset)}, beside the figures of KEP-752\n`
  const tables = PHASES.map((phase) => {
    return `\n${PHASE_TITLES[phase]}\n${tableText([PRESET_COLUMNS, ...presetCells(result, phase)])}`
  })
  return head + tables.join('')
}

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

/** Figures of a table of KEP-752: writes, the bytes of one object, and those sent to all nodes. */
interface KepFigures {
  readonly writes: number
  readonly object: string
  readonly sent: string
}

type Tables = Readonly<Record<Phase, Partial<Readonly<Record<PolicyName, KepFigures>>>>>

/** The tables of KEP-752's estimation as they stand there, with 100 endpoints a slice. */
const KEP_FIGURES: Readonly<Record<PresetName, Tables>> = {
  'kep-large': {
    create: {
      endpoints: { writes: 1, object: '~2.0 MB', sent: '10 GB' },
      'in-tree': { writes: 200, object: '~10 kB', sent: '10 GB' },
      single: { writes: 20_000, object: '< ~1 kB', sent: '~10 GB' },
    },
    update: {
      endpoints: { writes: 1, object: '~2.0 MB', sent: '10 GB' },
      'in-tree': { writes: 1, object: '~10 kB', sent: '50 MB' },
      single: { writes: 1, object: '< ~1 kB', sent: '~5 MB' },
    },
    rolling: {
      endpoints: { writes: 20_000, object: '~2.0 MB', sent: '200 TB' },
      'in-tree': { writes: 20_000, object: '~10 kB', sent: '1 TB' },
      single: { writes: 20_000, object: '< ~1 kB', sent: '~100 GB' },
    },
  },
  'kep-small': {
    create: {
      endpoints: { writes: 1, object: '~1 kB', sent: '10 kB' },
      'in-tree': { writes: 1, object: '~1 kB', sent: '10 kB' },
      single: { writes: 20, object: '~1 kB', sent: '200 kB' },
    },
    update: {
      endpoints: { writes: 1, object: '~1 kB', sent: '10 kB' },
      'in-tree': { writes: 1, object: '~1 kB', sent: '10 kB' },
      single: { writes: 1, object: '~1 kB', sent: '10 kB' },
    },
    rolling: {
      endpoints: { writes: 20, object: '~1 kB', sent: '200 kB' },
      'in-tree': { writes: 20, object: '~1 kB', sent: '200 kB' },
      single: { writes: 20, object: '~1 kB', sent: '200 kB' },
    },
  },
}
