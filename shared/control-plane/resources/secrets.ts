import { type FieldError, invalidValue, tooLong } from '../apimachinery/errors/index.ts'
import { isObject, objectAt, setMember, stringAt } from '../apimachinery/json/index.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { ResourceDefinition } from '../apiserver/registry/index.ts'
import { ageOf, tableOf } from '../apiserver/table/index.ts'
import { DATA_LIMIT, frozenErrors, keyErrors } from './config-maps.ts'
import { typeErrors } from './secret-types.ts'

const TOKEN_TYPE = 'kubernetes.io/service-account-token'
/** Annotations of a secret with the token of a service account: whose it is. */
export const SECRET_ACCOUNT_NAME = 'kubernetes.io/service-account.name'
export const SECRET_ACCOUNT_UID = 'kubernetes.io/service-account.uid'

/** Reports whether a secret is for a token of a service account. */
export const isTokenSecret = (secret: KubeObject): boolean => secret.type === TOKEN_TYPE

export const secrets: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  namespaced: true,
  schema: 'core.Secret',
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
