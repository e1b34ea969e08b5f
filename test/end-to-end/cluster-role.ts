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

const FOLDER = new URL('../../infra/rbac/', import.meta.url)

/**
 * A role that operators give to Sliceflow, and its binding, as they stand in the file.
 * @param file of infra/rbac; default: that of a Sliceflow that reconciles
 */
export async function readClusterRole(
  file = 'cluster-role.yaml',
): Promise<{ role: ClusterRole; binding: ClusterRoleBinding }> {
  const text = await readFile(new URL(file, FOLDER), 'utf8')
  const objects = parseAllDocuments(text).map((document) => document.toJS())
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
