import type { CommandEntry } from '../../command-entry.ts'

export const fleet: CommandEntry = {
  name: 'fleet',
  group: 'Install',
  summary: 'print what Services over several clusters need in each of them',
  details:
    '`fleet crds`: the CustomResourceDefinitions of ServiceExport and ServiceImport, for [Services across clusters](../shared/fleet/README.md).',
  load: async () => (await import('./command.ts')).fleetCommand(),
}
