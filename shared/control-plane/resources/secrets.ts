import { type FieldError, invalidValue, required, tooLong } from '../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../apimachinery/json/exact-numbers.ts'
import { goJsonError } from '../apimachinery/json/go-json-error.ts'
import { isObject, objectAt, ownMember, setMember, stringAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { goValueName } from '../apiserver/schema/go-types.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { ageOf } from '../apiserver/table/format.ts'
import { builtInKind } from './built-in-kind.ts'
import { DATA_LIMIT, frozenErrors, keyErrors } from './config-maps.ts'

const SERVICE_ACCOUNT = 'kubernetes.io/service-account.name'

const BASIC = ['username', 'password']

/** Checks by the type of a Secret; other types have none. */
const CHECKS: Readonly<Record<string, (secret: KubeObject, data: JsonObject) => FieldError[]>> = {
  'kubernetes.io/service-account-token': ({ metadata }) =>
    stringAt(objectAt(metadata, 'annotations'), SERVICE_ACCOUNT) !== ''
      ? []
      : [required(`metadata.annotations[${SERVICE_ACCOUNT}]`)],
  'kubernetes.io/dockercfg': (_, data) => jsonErrors(data, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (_, data) => jsonErrors(data, '.dockerconfigjson'),
  // One of the two is enough: then both are asked for.
  'kubernetes.io/basic-auth': (_, data) =>
    missing(data, BASIC).length < BASIC.length ? [] : missing(data, BASIC),
  'kubernetes.io/ssh-auth': (_, data) =>
    stringAt(data, 'ssh-privatekey') === '' ? [required('data[ssh-privatekey]')] : [],
  'kubernetes.io/tls': (_, data) => missing(data, ['tls.crt', 'tls.key']),
}

export function typeErrors(secret: KubeObject): FieldError[] {
  const type = stringAt(secret, 'type')
  return ownMember(CHECKS, type)?.(secret, objectAt(secret, 'data')) ?? []
}

function missing(data: JsonObject, keys: readonly string[]): FieldError[] {
  return keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`))
}

/** Checks that the value is there and is a JSON object. Errors never show it. */
function jsonErrors(data: JsonObject, key: string): FieldError[] {
  if (!Object.hasOwn(data, key)) return [required(`data[${key}]`)]
  const text = Buffer.from(stringAt(data, key), 'base64').toString()
  const why = notAnObject(text)
  return why === undefined ? [] : [invalidValue(`data[${key}]`, '<secret contents redacted>', why)]
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
  table: tableOf('secrets', (object, now) => [
    object.metadata.name ?? '',
    stringAt(object, 'type'),
    Object.keys(objectAt(object, 'data')).length,
    ageOf(object, now),
  ]),
  strategy: {
    setDefaults,
    validate: secretErrors,
    validateUpdate: (object, old) => [
      ...(stringAt(object, 'type') === stringAt(old, 'type')
        ? []
        : [invalidValue('type', object.type, 'field is immutable')]),
      ...frozenErrors(object, old, ['data']),
    ],
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

function secretErrors(object: KubeObject): FieldError[] {
  const data = objectAt(object, 'data')
  const size = Object.values(data).reduce<number>(
    (sum, value) => sum + Buffer.from(String(value), 'base64').length,
    0,
  )
  return [
    ...Object.keys(data).flatMap((key) => keyErrors('data', key)),
    ...(size > DATA_LIMIT ? [tooLong('data', DATA_LIMIT)] : []),
    ...typeErrors(object),
  ]
}
