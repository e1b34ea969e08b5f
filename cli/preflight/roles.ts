import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Parts of a cluster set that a cluster may have. */
export const FLEET_ROLES = ['both', 'export', 'import'] as const
export type FleetRole = (typeof FLEET_ROLES)[number]

/** Work on EndpointSelectors: slices of theirs alone, or also those that stand for Services. */
export const SELECTOR_ROLES = ['slices', 'projection'] as const
export type SelectorRole = (typeof SELECTOR_ROLES)[number]

/** The flags of `sliceflow rbac` that choose roles. */
export interface RoleOptions {
  readonly readOnly?: boolean
  readonly operator?: boolean
  readonly fleet?: FleetRole
  readonly mirroring?: boolean
  readonly endpointSelectors?: SelectorRole
  readonly canary?: boolean
  readonly preflight?: boolean
  /** No roles, but the policies that refuse malformed annotations. */
  readonly admission?: boolean
}

export function roleFilesOf({
  readOnly,
  operator,
  fleet,
  mirroring,
  endpointSelectors,
  canary,
  preflight,
  admission,
}: RoleOptions): string[] {
  if (admission === true) return ['admission.yaml']
  if (preflight === true) return ['preflight.yaml']
  if (canary === true) return ['canary.yaml']
  if (endpointSelectors !== undefined)
    return readOnly === true ? ['endpoint-selectors-read-only.yaml'] : selectorFilesOf(endpointSelectors)
  if (mirroring === true) return [readOnly === true ? 'mirroring-read-only.yaml' : 'mirroring.yaml']
  if (fleet !== undefined) return readOnly === true ? ['fleet-read-only.yaml'] : fleetFilesOf(fleet)
  if (readOnly === true) return ['read-only.yaml']
  return [operator === true ? 'operator.yaml' : 'cluster-role.yaml']
}

const selectorFilesOf = (role: SelectorRole): string[] => [
  'endpoint-selectors.yaml',
  ...(role === 'projection' ? ['service-projection.yaml'] : []),
]

const fleetFilesOf = (role: FleetRole): string[] =>
  role === 'both' ? ['fleet-export.yaml', 'fleet-import.yaml'] : [`fleet-${role}.yaml`]

export function roleFlagsOf({
  readOnly,
  operator,
  fleet,
  mirroring,
  endpointSelectors,
  canary,
}: RoleOptions): string[] {
  return [
    ...(canary === true ? ['--canary'] : []),
    ...(mirroring === true ? ['--mirroring'] : []),
    ...(endpointSelectors === undefined ? [] : ['--endpoint-selectors']),
    ...(endpointSelectors === 'projection' && readOnly !== true ? ['projection'] : []),
    ...(fleet === undefined ? [] : ['--fleet', ...(fleet === 'both' || readOnly === true ? [] : [fleet])]),
    ...(readOnly === true ? ['--read-only'] : []),
    ...(operator === true ? ['--operator'] : []),
  ]
}

/** One verb on one resource, of all names and namespaces or of one. */
export interface Permission {
  readonly group: string
  /** The plural, or `plural/subresource`. */
  readonly resource: string
  readonly verb: string
  readonly name?: string
  readonly namespace?: string
}

/** What some work of Sliceflow's needs, and the flags of `sliceflow rbac` that print the roles. */
export interface RoleGroup {
  readonly options: RoleOptions
  readonly permissions: readonly Permission[]
}

/**
 * Reads the permissions that roles of infra/rbac have, each one once.
 * @param folder of the installation
 */
export async function readRoleGroup(folder: string, options: RoleOptions): Promise<RoleGroup> {
  const { parseAllDocuments } = await import('yaml')
  const texts = await Promise.all(
    roleFilesOf(options).map((file) => readFile(join(folder, 'infra', 'rbac', file), 'utf8')),
  )
  const roles = texts
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJS() as Role)
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
  const permissions = new Map(
    roles.flatMap(permissionsOf).map((permission) => [JSON.stringify(permission), permission]),
  )
  return { options, permissions: [...permissions.values()] }
}

interface Role {
  readonly kind: string
  readonly metadata: { readonly namespace?: string }
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

const permissionsOf = ({ metadata: { namespace }, rules }: Role): Permission[] =>
  rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => resourceNames.map((name) => ({ group, resource, verb, name, namespace }))),
      ),
    ),
  )
