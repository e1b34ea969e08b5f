import type { CommandEntry } from '../../command-entry.ts'

export const views: CommandEntry = {
  name: 'views',
  group: 'Other',
  summary: 'make views of objects as a spec declares, and print how they change: NDJSON or a table',
  details: '`--output table` for people, `--serve` for kubectl; [the language](../shared/views/README.md).',
  load: async () => (await import('./command.ts')).viewsCommand(),
  run: async () => (await import('./run.ts')).runViews,
}
