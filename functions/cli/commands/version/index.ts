import type { CommandEntry } from '../../command-entry.ts'

export const version: CommandEntry = {
  name: 'version',
  group: 'Other',
  summary: 'print the version, the supported versions of Kubernetes, and the version of Node.js',
  load: async () => (await import('./command.ts')).versionCommand(),
}
