import { beforeAll, expect } from 'vitest'
import type { Json, RawResponse } from '../../../../../../test/support/raw-client.ts'
import { accepted } from '../../subject.ts'
import { definition, GROUP, type Scene } from '../scene.ts'

export const MOST = '9223372036854775807'
export const LEAST = '-9223372036854775808'
/** The first that no float64 holds: it would become the one before it. */
export const ODD = '9007199254740993'

const property = (type: string, more: Json = {}): Json => ({ type, ...more })
const integer = (more: Json = {}): Json => property('integer', more)
/** Schema as text: JavaScript would write other digits. */
const SCHEMA = JSON.stringify({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        whole: integer(),
        int32: integer({ format: 'int32' }),
        int64: integer({ format: 'int64' }),
        ratio: property('number'),
        either: { 'x-kubernetes-int-or-string': true, allOf: [{ not: { enum: ['@ODD'] } }] },
        free: { 'x-kubernetes-preserve-unknown-fields': true },
        preset: integer({ default: '@MOST' }),
        choice: integer({ enum: ['@ODD', 5] }),
        floor: integer({ minimum: '@ODD' }),
        above: integer({ minimum: -9007199254740994, exclusiveMinimum: true }),
        ceiling: integer({ maximum: '@ODD' }),
        endless: integer({ maximum: '@MOST' }),
        thirds: integer({ multipleOf: 3 }),
        marks: { type: 'array', 'x-kubernetes-list-type': 'set', items: integer() },
        rows: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: { type: 'object', required: ['id'], properties: { id: integer(), size: integer() } },
        },
        replicas: integer(),
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.whole) || self.whole != 9007199254740995', message: 'not this integer' },
        { rule: '!has(self.ratio) || self.ratio != 9007199254740996.0', message: 'not this number' },
        { rule: '!has(self.either) || self.either != 9007199254740995', message: 'nor this' },
      ],
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
})
  .replaceAll('"@MOST"', MOST)
  .replaceAll('"@ODD"', ODD)

const COLUMNS = [
  { name: 'Whole', type: 'integer', jsonPath: '.spec.free' },
  { name: 'Ratio', type: 'number', jsonPath: '.spec.free' },
  { name: 'Text', type: 'string', jsonPath: '.spec.free' },
]

/** Parses JSON, with each number as the text in which it was written. */
export const literally = (text: string): Json =>
  JSON.parse(text, (_key, value, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value,
  )

/** Objects with integers, as texts: JavaScript would send other digits. */
export interface Ledgers {
  readonly scene: Scene
  path(name?: string): string
  ledger(name: string, spec: string, metadata?: string): string
  send(method: string, at: string, body: string, type?: string): Promise<RawResponse>
  create(name: string, spec: string): Promise<RawResponse>
  dryRun(spec: string): Promise<RawResponse>
}

export function useLedgers(scene: Scene): Ledgers {
  const { place, objects } = scene
  const path = (name = ''): string => objects('ledgers', name)
  const ledger = (name: string, spec: string, metadata = ''): string =>
    `{"apiVersion":"${GROUP}/v1","kind":"Ledger","metadata":{"name":"${name}"${metadata}},"spec":${spec}}`
  const send = (method: string, at: string, body: string, type = 'json'): Promise<RawResponse> =>
    place.client.send(method, at, { body, headers: { 'content-type': `application/${type}` } })
  const create = (name: string, spec: string): Promise<RawResponse> =>
    place.client.post(path(), ledger(name, spec))
  const dryRun = (spec: string): Promise<RawResponse> =>
    place.client.post(`${path()}?dryRun=All`, ledger('dry', spec))
  beforeAll(async () => {
    const version = {
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
      additionalPrinterColumns: COLUMNS,
      selectableFields: [{ jsonPath: '.spec.whole' }],
      schema: '@SCHEMA',
    }
    const text = JSON.stringify(definition('ledgers', version))
    await scene.define(
      definition('ledgers', version),
      text.replace('"@SCHEMA"', `{"openAPIV3Schema":${SCHEMA}}`),
    )
  }, 120_000)

  return { scene, path, ledger, send, create, dryRun }
}

/** Returns the spec of an object without its default, with numbers as texts. */
export function specOf(response: RawResponse): Json {
  accepted(response)
  const { preset, ...spec } = literally(response.text).spec
  return spec
}
export function causesOf({ status, body }: RawResponse): string[] {
  expect(status).toBe(422)
  return body.details.causes
    .map(({ field, message }: Json) => `${field}: ${message}`)
    .filter((cause: string) => !cause.includes('some validation rules were not checked'))
}
