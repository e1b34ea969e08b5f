import { type FieldError, invalidValue, notSupported, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { pathSegmentName } from '../../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { ageOf } from '../../apiserver/table/format.ts'
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
      validate: (object) => bindingErrors(object, kind),
      validateUpdate: (object, old) =>
        sameJson(object.roleRef, old.roleRef)
          ? []
          : [
              invalidValue(
                'roleRef',
                internalReference(objectAt(object, 'roleRef')),
                'cannot change roleRef',
              ),
            ],
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
function bindingErrors(object: KubeObject, kind: BindingKind): FieldError[] {
  const reference = objectAt(object, 'roleRef')
  const kinds = kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole']
  const group = stringAt(reference, 'apiGroup')
  return [
    ...(group === GROUP ? [] : [notSupported('roleRef.apiGroup', group, [GROUP])]),
    ...(kinds.includes(stringAt(reference, 'kind'))
      ? []
      : [notSupported('roleRef.kind', stringAt(reference, 'kind'), kinds)]),
    ...(stringAt(reference, 'name') === '' ? [required('roleRef.name')] : []),
    ...objectsAt(object, 'subjects').flatMap((subject, index) =>
      subjectErrors(subject, `subjects[${index}]`, kind === 'RoleBinding'),
    ),
  ]
}

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group']

function subjectErrors(subject: JsonObject, at: string, namespaced: boolean): FieldError[] {
  const kind = stringAt(subject, 'kind')
  const group = stringAt(subject, 'apiGroup')
  const wanted = kind === 'ServiceAccount' ? '' : GROUP
  const isKnown = SUBJECT_KINDS.includes(kind)
  return [
    ...(stringAt(subject, 'name') === '' ? [required(`${at}.name`)] : []),
    ...(isKnown ? [] : [notSupported(`${at}.kind`, kind, SUBJECT_KINDS)]),
    ...(isKnown && group !== wanted ? [notSupported(`${at}.apiGroup`, group, [wanted])] : []),
    ...(kind === 'ServiceAccount' && !namespaced && stringAt(subject, 'namespace') === ''
      ? [required(`${at}.namespace`)]
      : []),
  ]
}

/** Formats a reference as upstream's internal type is printed. */
const internalReference = (reference: JsonObject): JsonObject => ({
  APIGroup: stringAt(reference, 'apiGroup'),
  Kind: stringAt(reference, 'kind'),
  Name: stringAt(reference, 'name'),
})

function cells(object: KubeObject, now: number): string[] {
  const reference = objectAt(object, 'roleRef')
  const subjects = objectsAt(object, 'subjects')
  const names = (kind: string): string =>
    subjects
      .filter((subject) => stringAt(subject, 'kind') === kind)
      .map((subject) => [stringAt(subject, 'namespace'), stringAt(subject, 'name')].filter(Boolean).join('/'))
      .join(', ')
  return [
    object.metadata.name ?? '',
    `${stringAt(reference, 'kind')}/${stringAt(reference, 'name')}`,
    ageOf(object, now),
    names('User'),
    names('Group'),
    names('ServiceAccount'),
  ]
}
