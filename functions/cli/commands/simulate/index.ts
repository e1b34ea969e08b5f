import type { CommandEntry } from '../../command-entry.ts'

export const simulate: CommandEntry = {
  name: 'simulate',
  group: 'Plan and estimate',
  summary: 'simulate what publishing endpoints costs and how late it is, by policy, window and slice size',
  details:
    'Writes, bytes and delay; the KEP’s own tables; a recording with `--recording FILE`; `--advise`, `--scale`, `--report FILE.html`. [How it works](../shared/simulation/README.md).',
  load: async () => (await import('./command.ts')).simulateCommand(),
  run: async () => (await import('./run.ts')).runSimulate,
}
