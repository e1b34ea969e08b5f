import type { CommandEntry } from '../../command-entry.ts'

export const deadLetters: CommandEntry = {
  name: 'dead-letters',
  group: 'Repair',
  summary: 'list, redrive or drop keys that were given up',
  details:
    '`list`, `redrive` and `drop` select by cluster, namespace and class; for all lanes of a run with `--relay URL`.',
  load: async () => (await import('./command.ts')).deadLettersCommand(),
}
