/** A schema as CustomResourceDefinitions have it, as far as these ones need it. */
export interface Schema {
  /** Absent of what may be a number or a text. */
  readonly type?: 'object' | 'array' | 'string' | 'integer'
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly enum?: readonly string[]
  readonly format?: 'int32' | 'int64' | 'date-time'
  readonly minimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly maximum?: number
  readonly default?: string
  readonly anyOf?: readonly Pick<Schema, 'type'>[]
  readonly allOf?: readonly Pick<Schema, 'pattern'>[]
  readonly 'x-kubernetes-int-or-string'?: true
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[]
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

const API_VERSION: Schema = {
  type: 'string',
  description: 'Group and version of the API that the object is of.',
}
const KIND: Schema = { type: 'string', description: 'What the object is.' }

/** Returns the schema of an object as clients send it. */
export const objectSchema = (description: string, properties: Schema['properties']): Schema => ({
  type: 'object',
  description,
  properties: { apiVersion: API_VERSION, kind: KIND, metadata: { type: 'object' }, ...properties },
})

/** Returns the schema of a list with at most one item of each value of `key`. */
export const listMap = (description: string, key: string, items: Schema): Schema => ({
  type: 'array',
  description,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
  items,
})

const SUBDOMAIN = String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`

/** metav1.Condition, with the limits that the API's own types have. */
const CONDITION: Schema = {
  type: 'object',
  description: 'One side of the state of the object.',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: {
      type: 'string',
      description: 'Which side it is, in CamelCase, after a domain and a slash where it is no common one.',
      maxLength: 316,
      pattern: `^(${SUBDOMAIN}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
    },
    status: { type: 'string', description: 'Whether it is so.', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description:
        'The generation of the object that was looked at. An older one says that the condition is out of date.',
      minimum: 0,
    },
    lastTransitionTime: { type: 'string', format: 'date-time', description: 'When the status last changed.' },
    reason: {
      type: 'string',
      description: 'Why, for programs: words in CamelCase, separated by commas.',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    },
    message: { type: 'string', description: 'Why, for people.', maxLength: 32_768 },
  },
}

export const conditions = (description: string): Schema => listMap(description, 'type', CONDITION)
