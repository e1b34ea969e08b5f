import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { User } from '../../apiserver/registry/access.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import { type Rule, rulesOf } from './rule.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** The rules of one binding that holds for a user. */
interface Grant {
  readonly rules: readonly Rule[]
  /** Binding, role and subject, which an access review gives as its reason. */
  readonly reason: string
  /** The role that is bound, where it does not exist: there are no rules then. */
  readonly missing?: MissingRole
}

export interface MissingRole {
  readonly kind: 'Role' | 'ClusterRole'
  readonly name: string
}

/** Yields what a user holds in a namespace by bindings; in the whole cluster if the namespace is empty. */
export function* grantsOf(user: User, namespace: string, objects: ObjectReader): Generator<Grant> {
  for (const binding of objects.list(`clusterrolebindings.${GROUP}`)) {
    const subject = subjectOf(binding, user, '')
    if (subject !== undefined) yield grantOf(binding, subject, objects)
  }
  if (namespace === '') return
  for (const binding of objects.list(`rolebindings.${GROUP}`, namespace)) {
    const subject = subjectOf(binding, user, namespace)
    if (subject !== undefined) yield grantOf(binding, subject, objects)
  }
}

function grantOf(binding: KubeObject, subject: JsonObject, objects: ObjectReader): Grant {
  const { namespace, name } = binding.metadata
  const reference = objectAt(binding, 'roleRef')
  const bound = `${stringAt(binding, 'kind')} "${name}${namespace ? `/${namespace}` : ''}"`
  const [kind, roleName] = [stringAt(reference, 'kind'), stringAt(reference, 'name')]
  const role = roleOf(reference, namespace ?? '', objects)
  return {
    rules: role ? rulesOf(role) : [],
    reason: `RBAC: allowed by ${bound} of ${kind} "${roleName}" to ${describeSubject(subject, namespace ?? '')}`,
    ...(role ? {} : { missing: { kind: kind === 'Role' ? 'Role' : 'ClusterRole', name: roleName } }),
  }
}

/** Returns the rules that a `roleRef` names; undefined if the role does not exist. */
export function rulesOfReference(
  reference: JsonObject,
  namespace: string,
  objects: ObjectReader,
): Rule[] | undefined {
  const role = roleOf(reference, namespace, objects)
  return role && rulesOf(role)
}

function roleOf(reference: JsonObject, namespace: string, objects: ObjectReader): KubeObject | undefined {
  const name = stringAt(reference, 'name')
  return stringAt(reference, 'kind') === 'Role'
    ? objects.get(`roles.${GROUP}`, namespace, name)
    : objects.get(`clusterroles.${GROUP}`, '', name)
}

function subjectOf(binding: KubeObject, user: User, namespace: string): JsonObject | undefined {
  return objectsAt(binding, 'subjects').find((subject) => isUser(subject, user, namespace))
}

function isUser(subject: JsonObject, { username, groups }: User, bindingNamespace: string): boolean {
  const name = stringAt(subject, 'name')
  switch (stringAt(subject, 'kind')) {
    case 'User':
      return username === name
    case 'Group':
      return groups.includes(name)
    case 'ServiceAccount': {
      const namespace = stringAt(subject, 'namespace') || bindingNamespace
      return namespace !== '' && username === `system:serviceaccount:${namespace}:${name}`
    }
    default:
      return false
  }
}

/** Describes a subject. A service account without a namespace gets that of the binding. */
function describeSubject(subject: JsonObject, bindingNamespace: string): string {
  const [kind, name] = [stringAt(subject, 'kind'), stringAt(subject, 'name')]
  if (kind !== 'ServiceAccount') return `${kind} "${name}"`
  return `${kind} "${name}/${stringAt(subject, 'namespace') || bindingNamespace}"`
}
