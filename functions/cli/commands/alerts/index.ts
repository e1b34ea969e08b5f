import type { CommandEntry } from '../../command-entry.ts'

export const alerts: CommandEntry = {
  name: 'alerts',
  group: 'Install',
  summary: 'print the alerts of `sliceflow run` for Prometheus, with the names of your jobs: YAML',
  details: '[What each of them says](../infra/prometheus/README.md).',
  load: async () => (await import('./command.ts')).alertsCommand(),
}
