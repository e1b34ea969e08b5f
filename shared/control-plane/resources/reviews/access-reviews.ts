import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
import type { RequestAttributes, User } from '../../apiserver/registry/access.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { nameAndAge } from '../../apiserver/table/columns.ts'
import { aggregated, describeMissing } from '../../auth/rbac/authorizer.ts'
import { grantsOf } from '../../auth/rbac/grants.ts'
import type { Rule } from '../../auth/rbac/rule.ts'
import { builtInKind } from '../built-in-kind.ts'

/** Returns the request that an access review's `resourceAttributes` or `nonResourceAttributes` ask about. */
function attributesOf(spec: JsonObject, user: User): RequestAttributes {
  if (isObject(spec.nonResourceAttributes)) {
    const { path, verb } = spec.nonResourceAttributes
    return { ...NOTHING, user, path: String(path ?? ''), verb: String(verb ?? ''), resourceRequest: false }
  }
  const asked = objectAt(spec, 'resourceAttributes')
  const text = (field: string): string => stringAt(asked, field)
  return {
    user,
    path: '',
    resourceRequest: true,
    verb: text('verb'),
    group: text('group'),
    version: text('version'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  }
}

const NOTHING = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }

const GROUP = 'authorization.k8s.io'

export const subjectAccessReviews = accessReview('SubjectAccessReview', (spec) => userOf(spec))
export const selfSubjectAccessReviews = accessReview('SelfSubjectAccessReview', (_, { user }) => user)
export const localSubjectAccessReviews = accessReview('LocalSubjectAccessReview', (spec) => userOf(spec))

export const selfSubjectRulesReviews: ResourceDefinition = {
  ...question('SelfSubjectRulesReview'),
  strategy: {
    validate: errorsBy((review) => {
      review.child('spec', 'namespace').notEmpty()
    }),
    answer: (object, { user, objects }) => {
      const namespace = stringAt(objectAt(object, 'spec'), 'namespace')
      const grants = [...grantsOf(user, namespace, objects)]
      const rules = grants.flatMap((grant) => grant.rules)
      const missing = new Set(grants.flatMap(({ missing }) => (missing ? describeMissing(missing) : [])))
      return {
        ...object,
        metadata: {},
        spec: {},
        status: {
          resourceRules: rules
            .filter(({ nonResourceURLs }) => nonResourceURLs.length === 0)
            .map(resourceRule),
          nonResourceRules: rules
            .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
            .map(nonResourceRule),
          incomplete: false,
          ...(missing.size > 0 && { evaluationError: aggregated(missing) }),
        },
      }
    },
  },
}

function question(kind: string): ResourceDefinition {
  const namespaced = kind.startsWith('Local')
  return { ...builtInKind(GROUP, kind), namespaced, verbs: ['create'], table: nameAndAge }
}

function accessReview(
  kind: string,
  userOfReview: (spec: JsonObject, context: WriteContext) => User,
): ResourceDefinition {
  return {
    ...question(kind),
    strategy: {
      validate: errorsBy((review) => validateReview(review, kind)),
      answer: (object, context) => {
        const spec = objectAt(object, 'spec')
        const { allowed, reason } = context.authorize(attributesOf(spec, userOfReview(spec, context)))
        return { ...object, status: { allowed, ...(reason !== undefined && { reason }) } }
      },
    },
  }
}

/** Validates as upstream's ValidateSubjectAccessReview and its siblings do. */
function validateReview(review: Field, kind: string): void {
  const spec = review.child('spec')
  const [resource, user] = [spec.child('resourceAttributes'), spec.child('user')]
  if (!resource.ifObject && !spec.child('nonResourceAttributes').ifObject)
    resource.invalid('exactly one of nonResourceAttributes or resourceAttributes must be specified')
  if (!kind.startsWith('Self') && user.text === '' && spec.child('groups').list.length === 0)
    user.invalid('at least one of user or group must be specified', '')
  validateMetadata(review.child('metadata'), kind)
  const namespace = resource.child('namespace')
  const isLocal = kind === 'LocalSubjectAccessReview'
  if (isLocal && resource.ifObject && namespace.text !== review.child('metadata', 'namespace').text)
    namespace.invalid(`must match metadata.namespace`, namespace.text)
}

/** Reviews have no metadata, and those of a namespace none but that; who owns which field does not count. */
function validateMetadata(metadata: Field, kind: string): void {
  const { managedFields, namespace, ...others } = metadata.object
  const isLocal = kind === 'LocalSubjectAccessReview'
  const rest: JsonObject = isLocal || !namespace ? others : { ...others, namespace }
  if (!Object.values(rest).every(isEmpty))
    metadata.invalid(isLocal ? 'must be empty except for namespace' : 'must be empty')
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return !value
}

function userOf(spec: JsonObject): User {
  const extra = Object.entries(objectAt(spec, 'extra')).map(([key]) => [
    key,
    stringsAt(objectAt(spec, 'extra'), key),
  ])
  return {
    username: stringAt(spec, 'user'),
    groups: stringsAt(spec, 'groups'),
    uid: stringAt(spec, 'uid'),
    extra: Object.fromEntries(extra),
  }
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: Rule): JsonObject => ({
  verbs: [...verbs],
  apiGroups: [...apiGroups],
  resources: [...resources],
  ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
})

const nonResourceRule = ({ verbs, nonResourceURLs }: Rule): JsonObject => ({
  verbs: [...verbs],
  nonResourceURLs: [...nonResourceURLs],
})
