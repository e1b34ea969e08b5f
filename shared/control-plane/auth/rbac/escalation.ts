import { quoted } from '../../../kubernetes/index.ts'
import { forbidden, type GroupResource, notFound } from '../../apimachinery/errors/factories.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { User } from '../../apiserver/registry/access.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { aggregated } from './authorizer.ts'
import { compacted, uncovered } from './cover.ts'
import { grantsOf } from './grants.ts'
import type { Rule } from './rule.ts'

interface Granted {
  readonly resource: GroupResource
  readonly object: KubeObject
  /** Undefined where the role that is granted does not exist. */
  readonly rules: readonly Rule[] | undefined
  /** Permission to grant what one lacks: `escalate` of a role, `bind` of the role that a binding names. */
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
  if (mayEscalate(permission, namespace, context)) return
  // Upstream names the resource of the request, here and where it could not resolve what the user holds.
  if (!rules) throw notFound(resource, permission.name)
  if (rules.length === 0) return
  const grants = [...grantsOf(user, namespace, objects)]
  const missing = uncovered(
    grants.flatMap((grant) => grant.rules),
    rules,
  )
  if (missing.length === 0) return
  const unresolved = new Set(
    grants.flatMap((grant) => (grant.missing ? notFound(resource, grant.missing.name).message : [])),
  )
  const lines = [...new Set(compacted(missing).map(describeRule))].toSorted().join('\n')
  const doubt = unresolved.size > 0 ? `; resolution errors: [${aggregated(unresolved)}]` : ''
  const why = `user ${describeUser(user)} is attempting to grant RBAC permissions not currently held:\n${lines}${doubt}`
  throw forbidden(resource, name, why)
}

function mayEscalate(
  { verb, resource, name }: Granted['permission'],
  namespace: string,
  { user, authorize }: WriteContext,
): boolean {
  const attributes = { user, verb, resource, name, namespace, group: GROUP, version: 'v1' }
  return authorize({ ...attributes, subresource: '', path: '', resourceRequest: true }).allowed
}

const describeUser = ({ username, groups }: User): string => `${quoted(username)} (groups=${goList(groups)})`

/** Formats a rule as Go's `%q` does. */
function describeRule(rule: Rule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['Verbs', rule.verbs],
  ] as const
  const shown = parts.filter(([, values]) => values.length > 0)
  return `{${shown.map(([field, values]) => `${field}:${goList(values)}`).join(', ')}}`
}

const goList = (values: readonly string[]): string => `[${values.map(quoted).join(' ')}]`
