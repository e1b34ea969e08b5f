import { readFile } from 'node:fs/promises'
import { parseAllDocuments } from 'yaml'

export interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

export interface ClusterRole {
  readonly kind: 'ClusterRole'
  readonly metadata: { readonly name: string }
  readonly rules: readonly PolicyRule[]
}

interface ClusterRoleBinding {
  /** A RoleBinding is of one namespace. */
  readonly kind: 'ClusterRoleBinding' | 'RoleBinding'
  readonly metadata: { readonly name: string }
  readonly roleRef: { readonly name: string }
  readonly subjects: readonly { readonly kind: 'Group' | 'User'; readonly name: string }[]
}

const FOLDER = new URL('../../infra/rbac/', import.meta.url)

/** Files of infra/rbac for a Sliceflow that mirrors Endpoints. */
export const MIRRORING_ROLE_FILES = ['cluster-role.yaml', 'mirroring.yaml'] as const

/** Files of infra/rbac for a Sliceflow that publishes slices of EndpointSelectors. */
export const SELECTOR_ROLE_FILES = ['cluster-role.yaml', 'endpoint-selectors.yaml'] as const

/** The same for one that also keeps those that stand for Services. */
export const PROJECTION_ROLE_FILES = [...SELECTOR_ROLE_FILES, 'service-projection.yaml'] as const

/** Files of infra/rbac for a cluster that exports to a cluster set and imports from it. */
export const FLEET_ROLES = ['fleet-export.yaml', 'fleet-import.yaml'] as const
/** The same for a Sliceflow that reconciles that cluster as well. */
export const FLEET_ROLE_FILES = [...FLEET_ROLES, 'cluster-role.yaml'] as const

/**
 * Roles that operators give to Sliceflow, and their bindings, as they stand in the files.
 * @param files of infra/rbac; default: that of a Sliceflow that reconciles
 */
export async function readRoles(
  files: string | readonly string[] = 'cluster-role.yaml',
): Promise<{ roles: readonly ClusterRole[]; bindings: readonly ClusterRoleBinding[] }> {
  const texts = await Promise.all([files].flat().map((file) => readFile(new URL(file, FOLDER), 'utf8')))
  const objects: (ClusterRole | ClusterRoleBinding)[] = texts
    .flatMap((text) => parseAllDocuments(text))
    .map((one) => one.toJS())
  return {
    roles: objects.filter((object) => object.kind === 'ClusterRole'),
    bindings: objects.filter((object) => 'roleRef' in object),
  }
}

/** One verb on one resource, of all names or of one. */
export interface Permission {
  readonly group: string
  readonly resource: string
  readonly verb: string
  readonly name?: string
}

export const permissionsOf = ({ rules }: Pick<ClusterRole, 'rules'>): Permission[] =>
  rules.flatMap(({ apiGroups, resources, verbs, resourceNames: [name] = [] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({ group, resource, verb, ...(name !== undefined && { name }) })),
      ),
    ),
  )

/** Returns the same role without one of its permissions. */
export const without = (role: ClusterRole, { group, resource, verb }: Permission): ClusterRole => ({
  ...role,
  rules: permissionsOf(role)
    .filter((one) => one.group !== group || one.resource !== resource || one.verb !== verb)
    .map(({ group, resource, verb, name }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: [verb],
      ...(name !== undefined && { resourceNames: [name] }),
    })),
})

/** Returns the same role without the permissions on pods. */
export const withoutPods = (role: ClusterRole): ClusterRole => ({
  ...role,
  rules: role.rules.map((rule) => ({
    ...rule,
    resources: rule.resources.filter((resource) => resource !== 'pods'),
  })),
})
