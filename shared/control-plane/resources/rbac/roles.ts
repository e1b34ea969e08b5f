import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectsAt, sameJson, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { pathSegmentName } from '../../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { checkEscalation } from '../../auth/rbac/escalation.ts'
import { type Rule, rulesOf } from '../../auth/rbac/rule.ts'
import { builtInKind } from '../built-in-kind.ts'

const GROUP = 'rbac.authorization.k8s.io'

export const roles = roleDefinition('Role')
export const clusterRoles = roleDefinition('ClusterRole')

function roleDefinition(kind: 'Role' | 'ClusterRole'): ResourceDefinition {
  const plural = kind === 'Role' ? 'roles' : 'clusterroles'
  const check = (object: KubeObject, context: WriteContext): void =>
    checkEscalation(
      {
        resource: { group: GROUP, plural },
        object,
        rules: [...rulesOf(object), ...(isAggregated(object) ? EVERYTHING : [])],
        permission: { verb: 'escalate', resource: plural, name: object.metadata.name ?? '' },
      },
      context,
    )
  return {
    ...builtInKind(GROUP, kind),
    namespaced: kind === 'Role',
    nameRule: pathSegmentName,
    createOnUpdate: true,
    table: tableOf(plural, ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? '']),
    strategy: {
      prepareForCreate: check,
      // Who only touches the metadata of a role grants nothing.
      prepareForUpdate: (object, old, context) => {
        const changed = ['rules', 'aggregationRule'].some((field) => !sameJson(object[field], old[field]))
        if (changed) check(object, context)
      },
      validate: (object) =>
        objectsAt(object, 'rules').flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, kind)),
    },
  }
}

/** Rules that allow everything: whoever decides which roles are aggregated decides what is allowed. */
const EVERYTHING: readonly Rule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
]

const isAggregated = ({ aggregationRule }: KubeObject): boolean =>
  aggregationRule !== undefined && aggregationRule !== null

/** Validates as upstream's ValidatePolicyRule does. */
function ruleErrors(rule: JsonObject, at: string, kind: string): FieldError[] {
  const urls = stringsAt(rule, 'nonResourceURLs')
  const resourced = ['apiGroups', 'resources', 'resourceNames'].some(
    (field) => stringsAt(rule, field).length > 0,
  )
  const verbs =
    stringsAt(rule, 'verbs').length > 0
      ? []
      : [required(`${at}.verbs`, 'verbs must contain at least one value')]
  if (urls.length > 0) {
    return [
      ...verbs,
      ...(kind === 'Role'
        ? [invalidValue(`${at}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs')]
        : []),
      ...(resourced
        ? [
            invalidValue(
              `${at}.nonResourceURLs`,
              urls,
              'rules cannot apply to both regular resources and non-resource URLs',
            ),
          ]
        : []),
    ]
  }
  return [
    ...verbs,
    ...(stringsAt(rule, 'apiGroups').length > 0
      ? []
      : [required(`${at}.apiGroups`, 'resource rules must supply at least one api group')]),
    ...(stringsAt(rule, 'resources').length > 0
      ? []
      : [required(`${at}.resources`, 'resource rules must supply at least one resource')]),
  ]
}
