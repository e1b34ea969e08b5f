import type { CommandEntry } from '../../command-entry.ts'

export const offboard: CommandEntry = {
  name: 'offboard',
  group: 'Repair',
  summary: 'remove the EndpointSlices that Sliceflow made in a cluster; only lists them without --yes',
  load: async () => (await import('./command.ts')).offboardCommand(),
  run: async () => (await import('./run.ts')).runOffboard,
}
