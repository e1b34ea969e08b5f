import type { CommandEntry } from '../../command-entry.ts'

export const demo: CommandEntry = {
  name: 'demo',
  group: 'Run',
  summary:
    'show the whole path on embedded parts, with a comment on each step; needs neither a cluster nor an AWS account',
  details: '`--console` shows it on the page of `run --console`.',
  load: async () => (await import('./command.ts')).demoCommand(),
  run: async () => (await import('./run.ts')).runDemoCommand,
}
