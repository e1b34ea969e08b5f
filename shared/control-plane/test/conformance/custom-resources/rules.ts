import { beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted } from '../subject.ts'
import { definition, GROUP, type Scene } from './scene.ts'

/** Describes validation rules in CEL. */
export function describeRules(scene: Scene): void {
  const { place, objects, define } = scene
  describe('rules', () => {
    const object = (name: string, spec: Json): Json => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'Ruled',
      metadata: { name },
      spec,
    })
    const ruled = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-validations': [
            {
              rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
              message: 'min must not exceed max',
            },
            {
              rule: 'self.names.all(n, n.size() < 4)',
              messageExpression: "self.names.size() > 2 ? 'one of many is too long' : 'too long'",
              reason: 'FieldValueForbidden',
              fieldPath: '.names',
            },
          ],
          properties: {
            min: { type: 'integer' },
            max: { type: 'integer' },
            fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
            names: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 }, default: [] },
          },
        },
      },
    }

    beforeAll(async () => {
      const names = { plural: 'ruleds', kind: 'Ruled' }
      await define(definition('ruleds', { schema: { openAPIV3Schema: ruled } }, { names }))
    }, 120_000)

    const causes = (body: Json): Json[] => body.details.causes

    it('refuse what they are not true of, with their message, reason and field', async () => {
      const { status, body } = await place.client.post(
        objects('ruleds'),
        object('bad', { min: 2, max: 1, names: ['a', 'abcd', 'abcde'] }),
      )
      expect(status).toBe(422)
      expect(causes(body)).toEqual([
        { reason: 'FieldValueInvalid', message: 'Invalid value: min must not exceed max', field: 'spec' },
        { reason: 'FieldValueForbidden', message: 'Forbidden: one of many is too long', field: 'spec.names' },
      ])
    })

    it('compare with what was stored', async () => {
      accepted(await place.client.post(objects('ruleds'), object('kept', { fixed: 'a', min: 1 })))
      const path = objects('ruleds', 'kept')
      const { status, body } = await place.client.patch(path, { spec: { fixed: 'b' } })
      expect(status).toBe(422)
      expect(causes(body)).toEqual([
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "b": failed rule: self == oldSelf',
          field: 'spec.fixed',
        },
      ])
      expect((await place.client.patch(path, { spec: { min: 5 } })).status).toBe(200)
    })
  })
}
