import type { Phase, PolicyName, PresetName } from '../../shared/simulation/index.ts'

/** Figures of a table of KEP-752: writes, the bytes of one object, and those sent to all nodes. */
interface KepFigures {
  readonly writes: number
  readonly object: string
  readonly sent: string
}

type Tables = Readonly<Record<Phase, Partial<Readonly<Record<PolicyName, KepFigures>>>>>

/** The tables of KEP-752's estimation as they stand there, with 100 endpoints a slice. */
export const KEP_FIGURES: Readonly<Record<PresetName, Tables>> = {
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
