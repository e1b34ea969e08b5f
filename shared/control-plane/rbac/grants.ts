import { type JsonObject, objectAt, objectsAt, stringAt } from '../json.ts'
import type { KubeObject } from '../objects.ts'
import type { ObjectReader, User } from '../registry/index.ts'
import { type Rule, rulesOf } from './rule.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** The rules of one binding that holds for a user. */
export interface Grant {
  readonly rules: readonly Rule[]
  /** Which binding, role and subject: what an access review gives as its reason. */
  readonly reason: string
}

/** What a user holds in a namespace by bindings; in the whole cluster where the namespace is empty. */
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
  const role = `${stringAt(reference, 'kind')} "${stringAt(reference, 'name')}"`
  return {
    rules: rulesOfReference(reference, namespace ?? '', objects),
    reason: `RBAC: allowed by ${bound} of ${role} to ${stringAt(subject, 'kind')} "${nameOf(subject)}"`,
  }
}

/** The rules that a `roleRef` names; none where the role does not exist. */
export function rulesOfReference(reference: JsonObject, namespace: string, objects: ObjectReader): Rule[] {
  const name = stringAt(reference, 'name')
  const role =
    stringAt(reference, 'kind') === 'Role'
      ? objects.get(`roles.${GROUP}`, namespace, name)
      : objects.get(`clusterroles.${GROUP}`, '', name)
  return role === undefined ? [] : rulesOf(role)
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

function nameOf(subject: JsonObject): string {
  const namespace = stringAt(subject, 'namespace')
  return namespace === '' ? stringAt(subject, 'name') : `${stringAt(subject, 'name')}/${namespace}`
}
