/** Roles of infra/rbac that a client has: of relay and functions, or of people who read or operate. */
export type ClientRole = 'function' | 'read-only' | 'operator'

/** The API server's message, the same for each authorizer: `User "u" cannot list resource "pods" in …`. */
const REFUSAL = /" cannot ([a-z]+) resource "([a-z0-9./-]+)" in API group "([a-z0-9.-]*)"/
const REFUSED_USER = /User "([^"]*)" cannot /
/** What a member of a cluster set alone reads: the Multi-Cluster Services API and the About API. */
const FLEET_GROUPS = ['multicluster.x-k8s.io', 'about.k8s.io']
/** What the command preflight alone reads. */
const PREFLIGHT_GROUPS = ['coordination.k8s.io', 'flowcontrol.apiserver.k8s.io']
/** The user that the bindings of `sliceflow rbac` name. */
const BOUND_USER = 'sliceflow'
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/
/** Names that need no binding of their own: those of AWS get groups from their access entries. */
const UNBOUND = /^(arn:|system:)/

/** Roles that grant what was refused. */
export interface Grant {
  /** Flags of `sliceflow rbac`. */
  readonly flags: readonly string[]
  readonly user: string
}

/**
 * Finds the roles that grant what was refused.
 * @returns undefined where no permission lacks, as admission refused
 */
export function grantOf(message: string, role: ClientRole): Grant | undefined {
  const [, verb = '', resource = '', group = ''] = REFUSAL.exec(message) ?? []
  const [, user = ''] = REFUSED_USER.exec(message) ?? []
  return verb === '' ? undefined : { flags: flagsOf({ verb, resource, group }, role), user }
}

/** Says which command grants what was refused. */
export const grantAdvice = ({ flags, user }: Grant): string =>
  `to grant it, run in that cluster: ${rbacCommand(flags, user)}`

/**
 * Returns the command that grants the roles of these flags to the user.
 * @param user default: the one that the bindings name anyway
 * @param kubectl the command that leads to the cluster
 */
export function rbacCommand(flags: readonly string[], user = BOUND_USER, kubectl = 'kubectl'): string {
  return `${['sliceflow rbac', ...flags, ...subjectFlags(user, flags)].join(' ')} | ${kubectl} apply -f -`
}

function subjectFlags(user: string, flags: readonly string[]): string[] {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? []
  const isForPeople = flags.includes('--operator') || flags.includes('--canary')
  if (name !== undefined) return isForPeople ? [] : ['--serviceaccount', `${namespace}:${name}`]
  return user === BOUND_USER || user === '' || UNBOUND.test(user) ? [] : ['--user', shellWord(user)]
}

/** Quotes a word for a shell where it needs that. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

interface Refused {
  readonly verb: string
  readonly resource: string
  readonly group: string
}

function flagsOf(refused: Refused, role: ClientRole): string[] {
  if (role === 'operator' && isOperators(refused)) return ['--operator']
  const part = partOf(refused)
  if (role === 'function' || part.includes('--preflight')) return part
  return [...part.slice(0, 1), '--read-only'].filter((flag) => flag !== '--canary')
}

const isOperators = ({ verb, resource }: Refused): boolean =>
  verb === 'patch' || (verb === 'delete' && ['endpointslices', 'endpointselectors'].includes(resource))

/** Returns the flags of the file of infra/rbac that grants it to relay and functions. */
function partOf({ verb, resource, group }: Refused): string[] {
  const [kind = ''] = resource.split('/')
  const isWrite = ['create', 'update', 'delete'].includes(verb)
  if (PREFLIGHT_GROUPS.includes(group)) return ['--preflight']
  if (FLEET_GROUPS.includes(group) || (kind === 'namespaces' && verb !== 'get')) return ['--fleet']
  if (kind === 'endpoints') return ['--mirroring']
  if (kind === 'endpointselectors')
    return ['--endpoint-selectors', ...(isWrite && resource === kind ? ['projection'] : [])]
  if (resource !== 'services') return []
  if (verb === 'patch') return ['--canary']
  return isWrite ? ['--fleet', 'import'] : []
}
