import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted } from '../subject.ts'
import { definition, GROUP, type Scene, WARN } from './scene.ts'

/** Describes custom resources under a schema. */
export function describeObjectsOfThem(scene: Scene): void {
  const { place, objects, widget } = scene
  describe('objects', () => {
    const create = async (name: string, content: Json = {}): Promise<Json> =>
      accepted(await place.client.post(objects('widgets'), widget(name, content)))

    it('are pruned and defaulted, and begin with generation 1', async () => {
      const response = await place.client.post(
        objects('widgets'),
        widget('made', {
          spec: { unknown: 1, parts: [{ id: 'a' }], free: { any: { thing: 1 } } },
          status: {},
        }),
      )
      expect(response.status).toBe(201)
      expect(response.body.spec).toEqual({
        size: 3,
        parts: [{ id: 'a', weight: 1 }],
        free: { any: { thing: 1 } },
      })
      expect(response.body.status).toBeUndefined()
      expect(response.body.metadata.generation).toBe(1)
      expect(response.headers[WARN]).toBe('299 - "unknown field \\"spec.unknown\\""')
      expect(Object.keys(response.body)).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
    })

    it('are refused with unknown fields where the client wants that, and pruned silently where it does not', async () => {
      const body = widget('strict', { metadata: { name: 'strict', odd: 1 }, spec: { b: 1, a: 2 } })
      const strict = await place.client.send('POST', `${objects('widgets')}?fieldValidation=Strict`, {
        body,
      })
      expect(strict.status).toBe(400)
      expect(strict.body.message).toContain('strict decoding error: unknown field "metadata.odd"')
      expect(strict.body.message).toContain('unknown field "spec.a", unknown field "spec.b"')
      const ignored = await place.client.send('POST', `${objects('widgets')}?fieldValidation=Ignore`, {
        body,
      })
      expect(ignored.status).toBe(201)
      expect(ignored.headers[WARN]).toBeUndefined()
    })

    const wrong: [string, Json, [reason: string, field: string, message: string][]][] = [
      [
        'a number out of its range',
        { size: 0 },
        [
          [
            'FieldValueInvalid',
            'spec.size',
            'Invalid value: 0: spec.size in body should be greater than or equal to 1',
          ],
        ],
      ],
      [
        'a value of another type',
        { size: 'x' },
        [
          [
            'FieldValueTypeInvalid',
            'spec.size',
            'Invalid value: "string": spec.size in body must be of type integer: "string"',
          ],
        ],
      ],
      [
        'a value that is not listed',
        { color: 'green' },
        [
          [
            'FieldValueNotSupported',
            'spec.color',
            'Unsupported value: "green": supported values: "red", "blue"',
          ],
        ],
      ],
      [
        'a text that does not match',
        { name: 'A' },
        [
          [
            'FieldValueInvalid',
            'spec.name',
            'Invalid value: "A": spec.name in body should match \'^[a-z]+$\'',
          ],
        ],
      ],
      [
        'a text that is too long',
        { name: 'abcdef' },
        [['FieldValueTooLong', 'spec.name', 'Too long: may not be more than 5 bytes']],
      ],
      [
        'a missing field',
        { parts: [{ weight: 2 }] },
        [['FieldValueRequired', 'spec.parts[0].id', 'Required value']],
      ],
      [
        'the same key twice',
        { parts: [{ id: 'a' }, { id: 'a' }] },
        [['FieldValueDuplicate', 'spec.parts[1]', 'Duplicate value: {"id":"a"}']],
      ],
      [
        'too many items',
        { parts: ['a', 'b', 'c', 'd'].map((id) => ({ id })) },
        [['FieldValueTooMany', 'spec.parts', 'Too many: 4: must have at most 3 items']],
      ],
      [
        'neither a number nor a text',
        { port: true },
        [
          [
            'FieldValueTypeInvalid',
            'spec.port',
            'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
          ],
        ],
      ],
      [
        'a wrong value in a map',
        { labels: { a: 1 } },
        [
          [
            'FieldValueTypeInvalid',
            'spec.labels.a',
            'Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
          ],
        ],
      ],
    ]

    it.each(wrong)('are refused with %s', async (_what, spec, causes) => {
      const { status, body } = await place.client.post(objects('widgets'), widget('wrong', { spec }))
      expect(status).toBe(422)
      expect(body.details).toMatchObject({ name: 'wrong', group: GROUP, kind: 'Widget' })
      expect(body.details.causes).toEqual(
        causes.map(([reason, field, message]) => ({ reason, message, field })),
      )
    })

    it('must say what they are', async () => {
      const { status, body } = await place.client.post(objects('widgets'), { metadata: { name: 'x' } })
      expect(status).toBe(400)
      expect(body.message).toBe(
        `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"metadata":{"name":"x"}}' ({"metadata":{"name":"x"}})`,
      )
    })

    it('count their generations by everything but metadata and status', async () => {
      await create('counted', { spec: {} })
      const path = objects('widgets', 'counted')
      const generation = async (patch: Json, at = path): Promise<number> =>
        accepted(await place.client.patch(at, patch)).metadata.generation
      expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(1)
      expect(await generation({ spec: { size: 4 } })).toBe(2)
      expect(await generation({ status: { ready: 1 } }, `${path}/status`)).toBe(2)
    })

    it('keep status and the rest apart', async () => {
      await create('apart', { spec: {} })
      const path = objects('widgets', 'apart')
      const patch = { spec: { size: 9 }, status: { ready: 2 }, metadata: { labels: { a: 'b' } } }
      const status = accepted(await place.client.patch(`${path}/status`, patch))
      expect([status.spec.size, status.status, status.metadata.labels]).toEqual([3, { ready: 2 }, undefined])
      const main = accepted(await place.client.patch(path, { ...patch, status: { ready: 7 } }))
      expect([main.spec.size, main.status]).toEqual([9, { ready: 2 }])
    })

    it('are not replaced without a resourceVersion, and have no strategic merge', async () => {
      await create('put', { spec: {} })
      const path = objects('widgets', 'put')
      const put = await place.client.put(path, widget('put', { spec: { size: 5 } }))
      expect(put.status).toBe(422)
      expect(put.body.message).toBe(
        `widgets.${GROUP} "put" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      )
      const headers = { 'content-type': 'application/strategic-merge-patch+json' }
      const patch = await place.client.send('PATCH', path, { headers, body: '{}' })
      expect(patch.status).toBe(415)
      expect(patch.body.message).toBe(
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      )
    })

    it('are shown with the columns of their definition', async () => {
      await create('shown', { spec: { parts: [{ id: 'one' }] } })
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
      const { body } = await place.client.get(objects('widgets', 'shown'), { accept })
      expect(body.columnDefinitions.map(({ name, type, priority }: Json) => [name, type, priority])).toEqual([
        ['Name', 'string', 0],
        ['Size', 'integer', 0],
        ['First', 'string', 1],
        ['Age', 'date', 0],
      ])
      expect(body.rows[0].cells).toEqual(['shown', 3, 'one', expect.stringMatching(/^\d+s$/)])
    })

    it('are selected by the fields that the definition names', async () => {
      await create('blue', { spec: { color: 'blue' } })
      const selected = await place.client.get(`${objects('widgets')}?fieldSelector=spec.color%3Dblue`)
      expect(selected.body.items.map((item: Json) => item.metadata.name)).toEqual(['blue'])
      expect(Object.keys(selected.body)).toEqual(['apiVersion', 'items', 'kind', 'metadata'])
      const other = await place.client.get(`${objects('widgets')}?fieldSelector=spec.size%3D3`)
      expect(other.status).toBe(400)
      expect(other.body.message).toContain('field label not supported: spec.size')
    })

    it('are watched', async () => {
      const watch = await place.client.watch(`${objects('widgets')}?fieldSelector=metadata.name%3Dwatched`)
      await create('watched', { spec: {} })
      await place.client.patch(objects('widgets', 'watched'), { spec: { size: 5 } })
      await place.client.delete(objects('widgets', 'watched'))
      const events = await watch.until(({ type }) => type === 'DELETED')
      watch.close()
      expect(events.map(({ type, object }) => [type, object.kind, object.spec.size])).toEqual([
        ['ADDED', 'Widget', 3],
        ['MODIFIED', 'Widget', 5],
        ['DELETED', 'Widget', 5],
      ])
    })

    it('have objects in them that are checked as objects', async () => {
      const { define } = scene
      const embedded = {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      }
      await define(
        definition('holders', {
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { one: embedded, many: { type: 'array', items: embedded } },
            },
          },
        }),
      )
      const send = (content: Json) =>
        place.client.send('POST', `${objects('holders')}?dryRun=All&fieldValidation=Warn`, {
          body: {
            apiVersion: `${GROUP}/v1`,
            kind: 'Holder',
            metadata: { name: 'holder' },
            ...content,
          },
        })
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', stray: 1, labels: { a: 'b' } } }
      const good = await send({ one: pod, many: [pod] })
      expect(good.headers[WARN]).toBe(
        '299 - "unknown field \\"many[0].metadata.stray\\"", 299 - "unknown field \\"one.metadata.stray\\""',
      )
      expect(good.body.one.metadata).toEqual({ name: 'a', labels: { a: 'b' } })
      const empty = await send({ one: {} })
      expect(empty.body.message).toBe(
        `Holder.${GROUP} "holder" is invalid: [one.apiVersion: Required value, one.kind: Required value]`,
      )
      const bad = await send({
        many: [{ ...pod, apiVersion: 'a/b/c', kind: 'p/', metadata: { labels: { a: '_' } } }],
      })
      // Go goes through members in any order.
      expect(bad.body.details.causes.map(({ field }: Json) => field).sort()).toEqual([
        'many[0].apiVersion',
        'many[0].kind',
        'many[0].metadata.labels',
      ])
      const types: [Json, string][] = [
        [{ ...pod, kind: 5 }, 'one.kind: Invalid value: 5: must be a string'],
        [
          { ...pod, metadata: 5 },
          'one.metadata: Invalid value: 5: json: cannot unmarshal number into Go value of type v1.ObjectMeta',
        ],
      ]
      for (const [one, why] of types) {
        const { status, body } = await send({ one })
        expect([status, body.message]).toEqual([
          400,
          `Holder in version "v1" cannot be handled as a Holder: ${why}`,
        ])
      }
    })
  })
}
