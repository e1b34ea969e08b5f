import { type FieldError, invalidValue, required } from '../apimachinery/errors/index.ts'
import {
  goJsonError,
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  stringAt,
} from '../apimachinery/json/index.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { goValueName } from '../apiserver/schema/index.ts'

const SERVICE_ACCOUNT = 'kubernetes.io/service-account.name'

const BASIC = ['username', 'password']

/** Checks by the type of a Secret; types that are nobody's have none. */
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
  return (Object.hasOwn(CHECKS, type) ? CHECKS[type]?.(secret, objectAt(secret, 'data')) : undefined) ?? []
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
