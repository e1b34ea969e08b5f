import type { CommandEntry } from '../../command-entry.ts'

export const history: CommandEntry = {
  name: 'history',
  group: 'Inspect',
  summary: 'show from a recording which endpoints of a Service came, left or changed, when and why',
  details:
    'With the cause and who wrote it. `--at TIME`: what was published then. `--report FILE.html`: the same as a page.',
  load: async () => (await import('./command.ts')).historyCommand(),
  run: async () => (await import('./run.ts')).runHistory,
}
