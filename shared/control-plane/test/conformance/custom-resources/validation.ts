import { beforeAll, describe, expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../../test/support/raw-client.ts'
import { describeRefusals } from '../refusals.ts'
import { accepted } from '../subject.ts'
import { CRDS, definition, GROUP, type Scene, WARN } from './scene.ts'

const SCHEMA: Json = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        whole: { type: 'integer', format: 'int32' },
        ratio: { type: 'number', minimum: 0.5 },
        step: { type: 'number', multipleOf: 0.1 },
        above: { type: 'number', minimum: 1, exclusiveMinimum: true },
        below: { type: 'number', maximum: 1, exclusiveMaximum: true },
        text: { type: 'string', minLength: 2, maxLength: 9, pattern: '^[a-z]+$' },
        only: { type: 'array', maxItems: 1, items: { type: 'integer', minimum: 1 } },
        short: { type: 'string', maxLength: 1 },
        port: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
        maybe: {
          type: 'object',
          properties: { flag: { type: 'boolean', nullable: true } },
          'x-kubernetes-validations': [{ rule: 'self.flag', message: 'flag it' }],
        },
        labels: {
          type: 'object',
          additionalProperties: { type: 'string' },
          'x-kubernetes-validations': [{ rule: "!('app' in self)", fieldPath: '.app' }],
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        ready: { type: 'integer', minimum: 1 },
        load: { type: 'object', additionalProperties: { type: 'integer' } },
      },
    },
  },
}
const INT32 = 'Checked value must be of type integer with format int32 in spec.whole'

/** Describes the messages of keywords and rules about objects and defaults, to the letter. */
export function describeValidation(scene: Scene): void {
  const { place, objects, define } = scene
  describe('validation', () => {
    const object = (name: string, content: Json): Json => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'Judged',
      metadata: { name },
      ...content,
    })
    const post = (name: string, spec: Json): Promise<RawResponse> =>
      place.client.post(objects('judgeds'), object(name, { spec }))
    const causes = ({ body }: RawResponse): string[] =>
      (body.details?.causes ?? [])
        .filter(({ message }: Json) => !message.includes('rules were not checked'))
        .map(({ field, message }: Json) => `${field}: ${message}`)

    beforeAll(async () => {
      const version = { subresources: { status: {} }, schema: { openAPIV3Schema: SCHEMA } }
      await define(definition('judgeds', version, { names: { plural: 'judgeds', kind: 'Judged' } }))
    }, 120_000)

    describeRefusals(place, 'custom-validation', (spec) => object('wrong', { spec }))

    it('names the format of a number in the error of its type', async () => {
      const type = (member: string, expected: string, shown: string) =>
        `spec.${member}: Invalid value: "${shown}": spec.${member} in body must be of type ${expected}: "${shown}"`
      const reported = async (spec: Json) => causes(await post('formats', spec))
      expect(await reported({ whole: 1.5 })).toEqual([
        type('whole', 'int32', 'float64'),
        `<nil>: Invalid value: "": ${INT32}`,
      ])
      expect(await reported({ whole: {} })).toEqual([type('whole', 'int32', '')])
      expect(await reported({ whole: 'x' })).toEqual([type('whole', 'integer', 'string')])
      expect(await reported({ ratio: true })).toEqual([type('ratio', 'number', 'boolean')])
    })

    it('judges an applied list where a number or a text should be as it judges a sent one', async () => {
      const applied = await place.client.send('PATCH', `${objects('judgeds')}/applied?fieldManager=m`, {
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: object('applied', { spec: { port: ['x'] } }),
      })
      expect([applied.status, (await post('applied', { port: ['x'] })).body.message]).toEqual([
        422,
        applied.body.message,
      ])
    })

    it('compares an integer with what a limit has before the point', async () => {
      accepted(await post('native', { ratio: 0 }))
      const response = await post('fraction', { ratio: 0.25 })
      expect(causes(response)).toEqual([
        'spec.ratio: Invalid value: 0.25: spec.ratio in body should be greater than or equal to 0.5',
      ])
    })

    it('judges a status alone, and names its fields as if it were all there is', async () => {
      const stored = accepted(await post('status', { short: 'a' }))
      const url = `${objects('judgeds', 'status')}/status`
      const response = await place.client.put(url, { ...stored, status: { ready: 0, load: { cpu: 'x' } } })
      expect(causes(response).toSorted()).toEqual([
        'status.load.cpu: Invalid value: "string": load.cpu in body must be of type integer: "string"',
        'status.ready: Invalid value: 0: ready in body should be greater than or equal to 1',
      ])
    })

    it('reports unknown fields in embedded metadata last', async () => {
      const embedded = {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      }
      const properties = { spec: { type: 'object', properties: { a: embedded } } }
      const version = { schema: { openAPIV3Schema: { type: 'object', properties } } }
      await define(definition('carriers', version, { names: { plural: 'carriers', kind: 'Carrier' } }))
      const spec = { a: { apiVersion: 'v1', kind: 'Pod', metadata: { odd: 1 } }, b: 1 }
      const response = await place.client.post(objects('carriers'), {
        ...object('made', { spec }),
        kind: 'Carrier',
      })
      expect([response.status, response.headers[WARN]]).toEqual([
        201,
        '299 - "unknown field \\"spec.b\\"", 299 - "unknown field \\"spec.a.metadata.odd\\""',
      ])
    })

    const formats: [string, string, boolean][] = [
      ['date', '2024-02-29', true],
      ['date', '2023-02-29', false],
      ['date-time', '2024-02-29t00:00:00z', true],
      ['date-time', '2023-02-29T00:00:00Z', false],
      ['date-time', '2024-02-29T24:00:00Z', false],
      ['date-time', '2024-02-29T00:00:00+0100', false],
      ['byte', 'YQ==', true],
      ['byte', '', false],
      ['ipv4', '01.2.3.4', true],
    ]
    it.each(formats)('reads a %s: %s', async (format, text, isRight) => {
      const spec = { type: 'string', format, default: text }
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
      const url = `${CRDS}?dryRun=All`
      const response = await place.client.post(url, definition('formats', { schema }))
      expect(response.status).toBe(isRight ? 201 : 422)
    })
  })
}
