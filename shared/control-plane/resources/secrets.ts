import { tooLong } from '../apimachinery/errors/field.ts'
import type { JsonValue } from '../apimachinery/json/exact-numbers.ts'
import { goJsonError } from '../apimachinery/json/go-json-error.ts'
import { isObject, objectAt, ownMember, setMember, stringAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { errorsBy, type Field } from '../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { goValueName } from '../apiserver/schema/go-types.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { builtInKind } from './built-in-kind.ts'
import { DATA_LIMIT, validateFrozen, validateKey } from './config-maps.ts'

const BASIC = ['username', 'password']

/** Checks by the type of a Secret; other types have none. */
const CHECKS: Readonly<Record<string, (data: Field, secret: Field) => void>> = {
  'kubernetes.io/service-account-token': (_, secret) =>
    secret.child('metadata', 'annotations').key(SECRET_ACCOUNT_NAME).notEmpty(),
  'kubernetes.io/dockercfg': (data) => validateJson(data.key('.dockercfg')),
  'kubernetes.io/dockerconfigjson': (data) => validateJson(data.key('.dockerconfigjson')),
  // One of the two is enough: then both are asked for.
  'kubernetes.io/basic-auth': (data) => {
    if (!BASIC.some((key) => data.key(key).ifSet)) validatePresence(data, BASIC)
  },
  'kubernetes.io/ssh-auth': (data) => data.key('ssh-privatekey').notEmpty(),
  'kubernetes.io/tls': (data) => validatePresence(data, ['tls.crt', 'tls.key']),
}

function validatePresence(data: Field, keys: readonly string[]): void {
  for (const key of keys) if (!data.key(key).ifSet) data.key(key).required()
}

/** Checks that the value is there and is a JSON object. Errors never show it. */
function validateJson(value: Field): void {
  if (!value.ifSet) {
    value.required()
    return
  }
  const why = notAnObject(Buffer.from(value.text, 'base64').toString())
  if (why !== undefined) value.invalid(why, '<secret contents redacted>')
}

function notAnObject(text: string): string | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    if (value === null || isObject(value)) return undefined
    return `json: cannot unmarshal ${goValueName(value)} into Go value of type map[string]interface {}`
  } catch {
    return goJsonError(text)
  }
}

const TOKEN_TYPE = 'kubernetes.io/service-account-token'
/** Annotations of a secret with the token of a service account: whose it is. */
export const SECRET_ACCOUNT_NAME = 'kubernetes.io/service-account.name'
export const SECRET_ACCOUNT_UID = 'kubernetes.io/service-account.uid'

/** Reports whether a secret is for a token of a service account. */
export const isTokenSecret = (secret: KubeObject): boolean => secret.type === TOKEN_TYPE

export const secrets: ResourceDefinition = {
  ...builtInKind('', 'Secret'),
  namespaced: true,
  selectableFields: { type: (object) => stringAt(object, 'type') },
  table: tableOf('secrets', (secret) => ({
    Type: stringAt(secret, 'type'),
    Data: Object.keys(objectAt(secret, 'data')).length,
  })),
  strategy: {
    setDefaults,
    validate: errorsBy(validateSecret),
    validateUpdate: errorsBy(validateSecretUpdate),
  },
}

/** Moves `stringData`, which is for writers only, into `data`. */
function setDefaults(object: KubeObject): void {
  object.type ??= 'Opaque'
  const { stringData } = object
  if (!isObject(stringData)) return
  const data = { ...objectAt(object, 'data') }
  for (const [key, value] of Object.entries(stringData))
    setMember(data, key, Buffer.from(String(value)).toString('base64'))
  object.data = data
  delete object.stringData
}

export function validateSecret(secret: Field): void {
  const data = secret.child('data')
  for (const key of Object.keys(data.object)) validateKey(data, key)
  const size = Object.values(data.object).reduce<number>(
    (sum, value) => sum + Buffer.from(String(value), 'base64').length,
    0,
  )
  if (size > DATA_LIMIT) secret.errors.push(tooLong('data', DATA_LIMIT))
  ownMember(CHECKS, secret.child('type').text)?.(data, secret)
}

function validateSecretUpdate(secret: Field, old: KubeObject): void {
  secret.child('type').unchanged(old.type)
  validateFrozen(secret, old, ['data'])
}
