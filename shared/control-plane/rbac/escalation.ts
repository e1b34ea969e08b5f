import { forbidden, type GroupResource } from '../errors/index.ts'
import type { KubeObject } from '../objects.ts'
import type { User, WriteContext } from '../registry/index.ts'
import { uncovered } from './cover.ts'
import { grantsOf } from './grants.ts'
import type { Rule } from './rule.ts'

export interface Granted {
  readonly resource: GroupResource
  readonly object: KubeObject
  readonly rules: readonly Rule[]
  /** Who may do this may grant what they do not hold: `escalate` of a role, `bind` of the role that a binding names. */
  readonly permission: {
    readonly verb: 'escalate' | 'bind'
    readonly resource: string
    readonly name: string
  }
}

const GROUP = 'rbac.authorization.k8s.io'

/**
 * Refuses to let users grant what they do not hold themselves (upstream's privilege escalation prevention).
 * Throws a 403 that lists the rules that they lack.
 */
export function checkEscalation(
  { resource, object, rules, permission }: Granted,
  context: WriteContext,
): void {
  const { user, objects } = context
  const { namespace = '', name = '' } = object.metadata
  if (rules.length === 0 || mayEscalate(permission, namespace, context)) return
  const held = [...grantsOf(user, namespace, objects)].flatMap((grant) => grant.rules)
  const missing = uncovered(held, rules)
  if (missing.length === 0) return
  throw forbidden(
    resource,
    name,
    `user ${describeUser(user)} is attempting to grant RBAC permissions not currently held:\n${missing.map(describeRule).join('\n')}`,
  )
}

function mayEscalate(
  { verb, resource, name }: Granted['permission'],
  namespace: string,
  { user, authorize }: WriteContext,
): boolean {
  const attributes = { user, verb, resource, name, namespace, group: GROUP, version: 'v1' }
  return authorize({ ...attributes, subresource: '', path: '', resourceRequest: true }).allowed
}

const describeUser = ({ username, groups }: User): string =>
  `${JSON.stringify(username)} (groups=${goList(groups)})`

/** As `%q` of Go shows a rule. */
function describeRule(rule: Rule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['Verbs', rule.verbs],
  ] as const
  const shown = parts.filter(([, values]) => values.length > 0)
  return `{${shown.map(([field, values]) => `${field}:[${values.map((value) => JSON.stringify(value)).join(',')}]`).join(', ')}}`
}

const goList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
