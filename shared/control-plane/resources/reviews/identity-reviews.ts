import { badRequest } from '../../apimachinery/errors/factories.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, stringAt } from '../../apimachinery/json/values.ts'
import { timestamp } from '../../apimachinery/objects.ts'
import { ISSUER, type User } from '../../apiserver/registry/access.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { canonical } from '../../apiserver/schema/decode.ts'
import { nameAndAge } from '../../apiserver/table/columns.ts'
import { builtInKind } from '../built-in-kind.ts'

const GROUP = 'authentication.k8s.io'

/** `kubectl auth whoami`. */
export const selfSubjectReviews: ResourceDefinition = {
  ...builtInKind(GROUP, 'SelfSubjectReview'),
  namespaced: false,
  verbs: ['create'],
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
  ...builtInKind(GROUP, 'TokenReview'),
  namespaced: false,
  verbs: ['create'],
  table: nameAndAge,
  strategy: {
    validate: (object) => {
      if (stringAt(objectAt(object, 'spec'), 'token') !== '') return []
      throw badRequest('token is required for TokenReview in authentication')
    },
    answer: async (object, { authenticate }) => {
      const user = await authenticate(stringAt(objectAt(object, 'spec'), 'token'))
      const { authenticated, ...sent } = objectAt(object, 'status')
      // What the client says of the user stays where the token says nothing.
      const status = user
        ? { ...sent, authenticated: true, user: userInfo(user), audiences: [ISSUER] }
        : { user: {}, ...sent, error: 'invalid bearer token' }
      const answer = canonical({ ...object, status }, 'authentication.TokenReview')
      return { ...answer, metadata: object.metadata }
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
