import type { CommandEntry } from '../../command-entry.ts'

export const rbac: CommandEntry = {
  name: 'rbac',
  group: 'Install',
  summary: 'print the ClusterRoles that Sliceflow needs in each cluster, and their bindings: YAML',
  details:
    '`--read-only` for shadow mode, `--operator` for people, `--fleet` for Services across clusters, `--mirroring`, `--canary`; `--serviceaccount` binds them to a ServiceAccount. [What each of them grants](../infra/rbac/README.md).',
  load: async () => (await import('./command.ts')).rbacCommand(),
}
