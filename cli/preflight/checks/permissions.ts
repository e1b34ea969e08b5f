import pLimit from 'p-limit'
import { ForbiddenError } from '../../../shared/kubernetes/index.ts'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import type { ExaminedCluster } from '../examined-cluster.ts'
import { type Permission, type RoleGroup, roleFlagsOf } from '../roles.ts'

/** Reviews at once: quick, and no burden for an API server. */
const CONCURRENCY = 8

/** What we may do, by the roles that `sliceflow rbac` prints: a check for each of its choices. */
export const PERMISSION_CHECKS: readonly Check[] = [
  check(
    'permissions',
    ({ fleet, mirroring, endpointSelectors, canary }) => !(fleet || mirroring || endpointSelectors || canary),
  ),
  check('permissions of the cluster set', ({ fleet }) => fleet !== undefined),
  check('permissions of mirroring', ({ mirroring }) => mirroring === true),
  check('permissions of endpoint selectors', ({ endpointSelectors }) => endpointSelectors !== undefined),
  check('permissions of the canary', ({ canary }) => canary === true),
]

function check(name: string, isOf: (options: RoleGroup['options']) => boolean): Check {
  return {
    name,
    async run({ cluster, roles }) {
      const group = roles.find(({ options }) => isOf(options))
      return group && reviewGroup(cluster, group)
    },
  }
}

const ENFORCED_ALONE =
  'it is needed only where the admission plugin OwnerReferencesPermissionEnforcement is on, as in OpenShift'
/** Permissions that `run` can do without, by verb and resource, and what is lost. It needs all others. */
const DISPENSABLE: Readonly<Record<string, string>> = {
  'create events':
    'Services get no Events about invalid annotations and held plans: they are in the log only',
  'update services/finalizers': ENFORCED_ALONE,
  'update endpointselectors/finalizers': ENFORCED_ALONE,
  'update endpoints/finalizers': ENFORCED_ALONE,
  'get namespaces': 'this cluster is identified by its address and certificate authority alone',
}

async function reviewGroup(cluster: ExaminedCluster, group: RoleGroup): Promise<Finding> {
  const limit = pLimit(CONCURRENCY)
  const flags = roleFlagsOf(group.options)
  try {
    const answers = await Promise.all(
      group.permissions.map((permission) => limit(() => isAllowed(cluster, permission))),
    )
    const missing = group.permissions.filter((_, index) => !answers[index])
    if (missing.length === 0) return ok(`all ${answers.length} that ${commandOf(flags)} grants`)
    return missingFinding(missing, await cluster.grant(flags))
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error
    const basic = `${cluster.kubectl} create clusterrolebinding sliceflow-basic-user --clusterrole=system:basic-user --group=system:authenticated`
    return warning(`what we may do cannot be asked: ${error.status.message}`, basic)
  }
}

function missingFinding(missing: readonly Permission[], command: string): Finding {
  const needed = missing.filter((permission) => lossOf(permission) === undefined)
  if (needed.length > 0) return failure(`we may not ${listOf(missing)}`, command)
  const losses = [...new Set(missing.map(lossOf))]
  return warning(`we may not ${listOf(missing)}: ${losses.join('; ')}`, command)
}

const lossOf = ({ verb, resource, name }: Permission): string | undefined => {
  // Namespaces are read one by one where they are read for what they are.
  if (resource === 'namespaces' && name === undefined) return undefined
  return DISPENSABLE[`${verb} ${resource}`]
}

async function isAllowed(cluster: ExaminedCluster, permission: Permission): Promise<boolean> {
  const { group, verb, name, namespace } = permission
  const [resource = '', subresource] = permission.resource.split('/')
  const { status } = await cluster.review({ group, resource, subresource, verb, name, namespace })
  return status?.allowed === true
}

/** Writes permissions as people say them: `get and list pods, watch services`. */
function listOf(permissions: readonly Permission[]): string {
  const objects = Map.groupBy(permissions, objectOf)
  return [...objects]
    .map(([object, some]) => `${some.map(({ verb }) => verb).join(' and ')} ${object}`)
    .join(', ')
}

const objectOf = ({ resource, name, namespace }: Permission): string =>
  `${resource}${name === undefined ? '' : ` ${name}`}${namespace === undefined ? '' : ` in namespace ${namespace}`}`

const commandOf = (flags: readonly string[]): string => ['sliceflow rbac', ...flags].join(' ')
