import type { CommandEntry } from '../../command-entry.ts'

export const plan: CommandEntry = {
  name: 'plan',
  group: 'Plan and estimate',
  summary:
    'plan the EndpointSlices of Services: NDJSON cases on stdin, NDJSON plans on stdout; or what would change in a cluster set',
  details:
    '[The planning library](../shared/endpointslice/README.md) as a filter; a cluster set with `--fleet`.',
  load: async () => (await import('./command.ts')).planCommand(),
  run: async () => (await import('./run.ts')).runPlan,
}
