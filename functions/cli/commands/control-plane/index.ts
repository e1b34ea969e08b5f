import type { CommandEntry } from '../../command-entry.ts'

export const controlPlane: CommandEntry = {
  name: 'control-plane',
  group: 'Other',
  summary: 'serve a Kubernetes-style API from this machine, with nothing else installed',
  details:
    'With or without its controllers (`--only`): [your own control plane](../shared/control-plane/README.md).',
  load: async () => (await import('./command.ts')).controlPlaneCommand(),
  run: async () => (await import('./run.ts')).runControlPlane,
}
