import { readFile } from 'node:fs/promises'
import { parseAllDocuments } from 'yaml'

export interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

export interface ClusterRole {
  readonly kind: 'ClusterRole'
  readonly metadata: { readonly name: string }
  readonly rules: readonly PolicyRule[]
}

export interface ClusterRoleBinding {
  readonly kind: 'ClusterRoleBinding'
  readonly metadata: { readonly name: string }
}

const FILE = new URL('../../infra/rbac/cluster-role.yaml', import.meta.url)

/** The role that operators give to Sliceflow, and its binding, as they stand in the file. */
export async function readClusterRole(): Promise<{ role: ClusterRole; binding: ClusterRoleBinding }> {
  const objects = parseAllDocuments(await readFile(FILE, 'utf8')).map((document) => document.toJS())
  const [role, binding] = objects as [ClusterRole, ClusterRoleBinding]
  return { role, binding }
}

/** The same role without the rule on pods. */
export const withoutPods = (role: ClusterRole): ClusterRole => ({
  ...role,
  rules: role.rules.map((rule) => ({
    ...rule,
    resources: rule.resources.filter((resource) => resource !== 'pods'),
  })),
})
