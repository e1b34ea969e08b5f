import { badRequest } from '../../errors/index.ts'
import { type JsonObject, objectAt, stringAt } from '../../json.ts'
import { timestamp } from '../../objects.ts'
import { ISSUER, type ResourceDefinition, type User } from '../../registry/index.ts'
import { nameAndAge } from '../../table/index.ts'

const GROUP = 'authentication.k8s.io'

/** `kubectl auth whoami`. */
export const selfSubjectReviews: ResourceDefinition = {
  group: GROUP,
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  singular: 'selfsubjectreview',
  namespaced: false,
  verbs: ['create'],
  schema: 'authentication.SelfSubjectReview',
  table: nameAndAge,
  strategy: {
    answer: (object, { user, now }) => ({
      ...object,
      metadata: { creationTimestamp: timestamp(now) },
      status: { userInfo: userInfo(user) },
    }),
  },
}

export const tokenReviews: ResourceDefinition = {
  group: GROUP,
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  singular: 'tokenreview',
  namespaced: false,
  verbs: ['create'],
  schema: 'authentication.TokenReview',
  table: nameAndAge,
  strategy: {
    validate: (object) => {
      if (stringAt(objectAt(object, 'spec'), 'token') !== '') return []
      throw badRequest('token is required for TokenReview in authentication')
    },
    answer: async (object, { authenticate }) => {
      const user = await authenticate(stringAt(objectAt(object, 'spec'), 'token'))
      const status = user
        ? { authenticated: true, user: userInfo(user), audiences: [ISSUER] }
        : { user: {}, error: 'invalid bearer token' }
      return { ...object, status }
    },
  },
}

function userInfo({ username, uid, groups, extra }: User): JsonObject {
  return {
    username,
    ...(uid ? { uid } : {}),
    groups: [...groups],
    ...(extra && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
    }),
  }
}
