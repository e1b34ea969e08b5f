import { randomUUID } from 'node:crypto'
import { badRequest, conflict, invalid, notFound } from '../apimachinery/errors/factories.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { isObject, numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import { type KubeObject, timestamp } from '../apimachinery/objects.ts'
import { errorsBy, type Field } from '../apimachinery/validation/field.ts'
import { trackedManagers } from '../apiserver/managed-fields/track.ts'
import { ISSUER, type TokenClaims } from '../apiserver/registry/access.ts'
import type { ResourceDefinition, Subresource } from '../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../apiserver/registry/definition/write-context.ts'
import { trackingOf } from '../apiserver/registry/writes/track-write.ts'
import { canonical } from '../apiserver/schema/decode.ts'
import { nameAndAge } from '../apiserver/table/columns.ts'
import { builtInKind } from './built-in-kind.ts'

const HOUR = 3600
/** Limits of upstream's ValidateTokenRequest, in seconds. */
const SHORTEST = 10 * 60
const LONGEST = 2 ** 32

const TOKEN_REQUEST = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  schema: 'authentication.TokenRequest',
}

/** `kubectl create token`: a token of the account, signed by the server and not stored. */
const token: Subresource = {
  ...TOKEN_REQUEST,
  verbs: ['create'],
  setDefaults: (submitted) => {
    submitted.spec = { expirationSeconds: HOUR, ...objectAt(submitted, 'spec') }
  },
  create: async (submitted, stored, context) => {
    const spec = objectAt(submitted, 'spec')
    checkExpiration(submitted)
    const seconds = numberAt(spec, 'expirationSeconds') ?? HOUR
    const { namespace = '', name = '', uid = '' } = stored.metadata
    const audiences = stringsAt(spec, 'audiences').length > 0 ? stringsAt(spec, 'audiences') : [ISSUER]
    const boundTo = boundObject(spec, namespace, context)
    const claims = {
      account: { namespace, name, uid },
      audiences,
      now: context.now,
      expirationSeconds: seconds,
    }
    const issued = await context.issueToken({ ...claims, ...(boundTo && { boundTo }) })
    const answered = {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {
        name,
        namespace,
        uid: randomUUID(),
        creationTimestamp: timestamp(context.now),
        managedFields: requestManagers(submitted, context),
      },
      spec: { ...spec, audiences, expirationSeconds: seconds },
      status: { token: issued, expirationTimestamp: timestamp(context.now + seconds * 1000) },
    }
    return { action: 'answer', object: canonical(answered, 'authentication.TokenRequest') as KubeObject }
  },
}

export const serviceAccounts: ResourceDefinition = {
  ...builtInKind('', 'ServiceAccount'),
  namespaced: true,
  shortNames: ['sa'],
  table: nameAndAge,
  returnsDeleted: true,
  subresources: { token },
  strategy: {
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
  },
}

/** Keeps the names of an account's secrets and nothing else, as they are in its own namespace. */
function keepSecretNames(account: KubeObject): void {
  if (account.secrets === undefined) return
  account.secrets = objectsAt(account, 'secrets').map((secret) => ({ name: stringAt(secret, 'name') }))
}

/** Returns the request's managers. It comes back, like an object, with who asked for which fields. */
function requestManagers(submitted: KubeObject, context: WriteContext): JsonObject[] {
  const entries = trackedManagers(submitted, undefined, trackingOf(TOKEN_REQUEST, context)) ?? []
  return entries.map((entry) => ({ ...entry, subresource: 'token' }))
}

function checkExpiration(request: KubeObject): void {
  const errors = errorsBy((object: Field) => {
    const seconds = object.child('spec', 'expirationSeconds')
    seconds.ifSet?.between(SHORTEST, Infinity, 'may not specify a duration less than 10 minutes')
    seconds.ifSet?.between(0, LONGEST, 'may not specify a duration larger than 2^32 seconds')
  })(request)
  if (errors.length > 0) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', errors)
}

const BOUND_RESOURCES = { Node: 'nodes', Pod: 'pods', Secret: 'secrets' } as const

const isBindable = (kind: string): kind is keyof typeof BOUND_RESOURCES =>
  Object.hasOwn(BOUND_RESOURCES, kind)

/** Returns the object that a token is bound to. It must be there, and be the one that the request means. */
function boundObject(spec: JsonObject, namespace: string, { objects }: WriteContext): TokenClaims['boundTo'] {
  if (!isObject(spec.boundObjectRef)) return undefined
  const reference = objectAt(spec, 'boundObjectRef')
  const [kind, name, wanted] = [
    stringAt(reference, 'kind'),
    stringAt(reference, 'name'),
    stringAt(reference, 'uid'),
  ]
  const apiVersion = stringAt(reference, 'apiVersion')
  if (!isBindable(kind) || apiVersion.includes('/')) {
    const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
    throw badRequest(`cannot bind token to object of type ${shown}, Kind=${kind}`)
  }
  const resource = BOUND_RESOURCES[kind]
  const uid = objects.get(resource, kind === 'Node' ? '' : namespace, name)?.metadata.uid
  if (uid === undefined) throw notFound({ group: '', plural: resource }, name)
  if (wanted !== '' && wanted !== uid) {
    const why = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`
    // Upstream names the kind instead of the resource here.
    throw conflict({ group: '', plural: kind }, name, why)
  }
  return { kind, name, uid }
}
