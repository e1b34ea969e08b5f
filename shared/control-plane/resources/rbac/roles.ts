import { sameJson } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
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
    table: tableOf(plural),
    strategy: {
      prepareForCreate: check,
      // Who only touches the metadata of a role grants nothing.
      prepareForUpdate: (object, old, context) => {
        const changed = ['rules', 'aggregationRule'].some((field) => !sameJson(object[field], old[field]))
        if (changed) check(object, context)
      },
      validate: errorsBy((role) => {
        for (const rule of role.child('rules').items()) validateRule(rule, kind)
      }),
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
function validateRule(rule: Field, kind: string): void {
  const urls = rule.child('nonResourceURLs')
  rule.child('verbs').notEmpty('verbs must contain at least one value')
  if (urls.list.length === 0) {
    rule.child('apiGroups').notEmpty('resource rules must supply at least one api group')
    rule.child('resources').notEmpty('resource rules must supply at least one resource')
    return
  }
  const isOfResources = ['apiGroups', 'resources', 'resourceNames'].some(
    (member) => rule.child(member).list.length > 0,
  )
  if (kind === 'Role') urls.invalid('namespaced rules cannot apply to non-resource URLs')
  if (isOfResources) urls.invalid('rules cannot apply to both regular resources and non-resource URLs')
}
