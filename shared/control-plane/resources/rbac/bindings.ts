import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
import { pathSegmentName } from '../../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { checkEscalation } from '../../auth/rbac/escalation.ts'
import { rulesOfReference } from '../../auth/rbac/grants.ts'
import { builtInKind } from '../built-in-kind.ts'

const GROUP = 'rbac.authorization.k8s.io'

export const roleBindings = bindingDefinition('RoleBinding')
export const clusterRoleBindings = bindingDefinition('ClusterRoleBinding')

type BindingKind = 'RoleBinding' | 'ClusterRoleBinding'

function bindingDefinition(kind: BindingKind): ResourceDefinition {
  const plural = kind === 'RoleBinding' ? 'rolebindings' : 'clusterrolebindings'
  const check = (object: KubeObject, context: WriteContext): void => {
    const reference = objectAt(object, 'roleRef')
    checkEscalation(
      {
        resource: { group: GROUP, plural },
        object,
        rules: rulesOfReference(reference, object.metadata.namespace ?? '', context.objects),
        permission: {
          verb: 'bind',
          resource: stringAt(reference, 'kind') === 'Role' ? 'roles' : 'clusterroles',
          name: stringAt(reference, 'name'),
        },
      },
      context,
    )
  }
  return {
    ...builtInKind(GROUP, kind),
    namespaced: kind === 'RoleBinding',
    nameRule: pathSegmentName,
    createOnUpdate: true,
    table: tableOf(plural, cells),
    strategy: {
      setDefaults,
      prepareForCreate: check,
      prepareForUpdate: (object, old, context) => {
        const changed = ['roleRef', 'subjects'].some((field) => !sameJson(object[field], old[field]))
        if (changed) check(object, context)
      },
      validate: errorsBy((binding) => validateBinding(binding, kind)),
      validateUpdate: errorsBy(validateBindingUpdate),
    },
  }
}

function setDefaults(object: KubeObject): void {
  const reference = objectAt(object, 'roleRef')
  if (stringAt(reference, 'apiGroup') === '') object.roleRef = { ...reference, apiGroup: GROUP }
  if (!Array.isArray(object.subjects)) return
  object.subjects = objectsAt(object, 'subjects').map((subject) => {
    const isUserOrGroup = ['User', 'Group'].includes(stringAt(subject, 'kind'))
    return isUserOrGroup && stringAt(subject, 'apiGroup') === '' ? { ...subject, apiGroup: GROUP } : subject
  })
}

/** Validates as upstream's ValidateRoleBinding and ValidateClusterRoleBinding do. */
function validateBinding(binding: Field, kind: BindingKind): void {
  const reference = binding.child('roleRef')
  reference.child('apiGroup').oneOf([GROUP])
  reference.child('kind').oneOf(kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'])
  reference.child('name').notEmpty()
  for (const subject of binding.child('subjects').items()) {
    const [subjectKind, namespace] = [subject.child('kind'), subject.child('namespace')]
    const isAccount = subjectKind.text === 'ServiceAccount'
    subject.child('name').notEmpty()
    if (subjectKind.oneOf(SUBJECT_KINDS)) subject.child('apiGroup').oneOf([isAccount ? '' : GROUP])
    if (isAccount && kind === 'ClusterRoleBinding') namespace.notEmpty()
  }
}

function validateBindingUpdate(binding: Field, old: KubeObject): void {
  const reference = binding.child('roleRef')
  if (!sameJson(reference.value, old.roleRef))
    reference.invalid('cannot change roleRef', internalReference(reference.object))
}

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group']

/** Formats a reference as upstream's internal type is printed. */
const internalReference = (reference: JsonObject): JsonObject => ({
  APIGroup: stringAt(reference, 'apiGroup'),
  Kind: stringAt(reference, 'kind'),
  Name: stringAt(reference, 'name'),
})

function cells(object: KubeObject) {
  const reference = objectAt(object, 'roleRef')
  const subjects = objectsAt(object, 'subjects')
  const names = (kind: string): string =>
    subjects
      .filter((subject) => stringAt(subject, 'kind') === kind)
      .map((subject) => [stringAt(subject, 'namespace'), stringAt(subject, 'name')].filter(Boolean).join('/'))
      .join(', ')
  return {
    Role: `${stringAt(reference, 'kind')}/${stringAt(reference, 'name')}`,
    Users: names('User'),
    Groups: names('Group'),
    ServiceAccounts: names('ServiceAccount'),
  }
}
