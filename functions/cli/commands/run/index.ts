import type { CommandEntry } from '../../command-entry.ts'

export const run: CommandEntry = {
  name: 'run',
  group: 'Run',
  summary:
    'reconcile EndpointSlices of real clusters from this machine: relay, queue and function in one process',
  details:
    '`--watch` shows the clusters as a table. `--metrics-port` serves Prometheus, with [alerts and a Grafana dashboard](../infra/prometheus/README.md). `--console` serves [a page that shows it live](../functions/console/README.md).',
  load: async () => (await import('./command.ts')).runCommand(),
  run: async () => (await import('./run.ts')).run,
}
