import type { CommandEntry } from '../../command-entry.ts'

export const release: CommandEntry = {
  name: 'release',
  group: 'Repair',
  summary: 'release the held plan of a Service or of an import, so that it is written',
  load: async () => (await import('./command.ts')).releaseCommand(),
  run: async () => (await import('./run.ts')).runRelease,
}
