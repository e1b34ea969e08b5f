import type { CommandEntry } from '../../command-entry.ts'

export const crds: CommandEntry = {
  name: 'crds',
  group: 'Install',
  summary: 'print the CustomResourceDefinitions that a cluster needs: YAML',
  details:
    '`crds`: that of EndpointSelector, for [slices without a Service](endpoint-selectors.md); `--fleet`: those of ServiceExport and ServiceImport, for [Services across clusters](../shared/fleet/README.md).',
  load: async () => (await import('./command.ts')).crdsCommand(),
}
