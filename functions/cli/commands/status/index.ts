import type { CommandEntry } from '../../command-entry.ts'

export const status: CommandEntry = {
  name: 'status',
  group: 'Inspect',
  summary: 'show the state of clusters, relay and queues, and whether slices are up to date',
  details:
    'It has lag, dead letters, last sweep and audit. `--relay URL` of a run finds its queues and its settings. `--check` plans every Service and counts outdated ones.',
  load: async () => (await import('./command.ts')).statusCommand(),
  run: async () => (await import('./run.ts')).runStatus,
}
