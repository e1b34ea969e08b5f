import type { CommandEntry } from '../../command-entry.ts'

export const preflight: CommandEntry = {
  name: 'preflight',
  group: 'Run',
  summary: 'check each cluster before the start: reach, credentials, permissions, what would be written',
  details: '[For each problem what to type](preflight.md).',
  load: async () => (await import('./command.ts')).preflightCommand(),
  run: async () => (await import('./run.ts')).run,
}
