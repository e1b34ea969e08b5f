import type { CommandEntry } from '../../command-entry.ts'

export const explain: CommandEntry = {
  name: 'explain',
  group: 'Inspect',
  summary:
    'show which pods of a Service are published where, which are not and why, and what would be written; or which Services publish a Pod, a Node or an address',
  details:
    'For each slice: its manager, age and hints. `pod/NAME`, `node/NAME`, `10.1.2.3`: which Services, slices and clusters publish it, since when, and why or why not. `--fleet`: who exports, which export wins, where each endpoint is imported.',
  load: async () => (await import('./command.ts')).explainCommand(),
  run: async () => (await import('./run.ts')).runExplain,
}
