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
  readonly roleRef: { readonly name: string }
  readonly subjects: readonly { readonly kind: 'Group' | 'User'; readonly name: string }[]
}

const FOLDER = new URL('../../infra/rbac/', import.meta.url)

/**
 * Roles that operators give to Sliceflow, and their bindings, as they stand in the file.
 * @param file of infra/rbac; default: those of a Sliceflow that reconciles
 */
export async function readRoles(
  file = 'cluster-role.yaml',
): Promise<{ roles: readonly ClusterRole[]; bindings: readonly ClusterRoleBinding[] }> {
  const text = await readFile(new URL(file, FOLDER), 'utf8')
  const objects: (ClusterRole | ClusterRoleBinding)[] = parseAllDocuments(text).map((one) => one.toJS())
  return {
    roles: objects.filter((object) => object.kind === 'ClusterRole'),
    bindings: objects.filter((object) => object.kind === 'ClusterRoleBinding'),
  }
}

/** The same role without the permissions on pods. */
export const withoutPods = (role: ClusterRole): ClusterRole => ({
  ...role,
  rules: role.rules.map((rule) => ({
    ...rule,
    resources: rule.resources.filter((resource) => resource !== 'pods'),
  })),
})
