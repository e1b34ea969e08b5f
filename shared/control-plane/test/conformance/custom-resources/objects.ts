import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { describeRefusals } from '../refusals.ts'
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

    describeRefusals(place, 'custom-objects', (spec) => widget('wrong', { spec }))

    it('keep status and the rest apart', async () => {
      await create('apart', { spec: {} })
      const path = objects('widgets', 'apart')
      const patch = { spec: { size: 9 }, status: { ready: 2 }, metadata: { labels: { a: 'b' } } }
      const status = accepted(await place.client.patch(`${path}/status`, patch))
      expect([status.spec.size, status.status, status.metadata.labels]).toEqual([3, { ready: 2 }, undefined])
      const main = accepted(await place.client.patch(path, { ...patch, status: { ready: 7 } }))
      expect([main.spec.size, main.status]).toEqual([9, { ready: 2 }])
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
          body: { apiVersion: `${GROUP}/v1`, kind: 'Holder', metadata: { name: 'holder' }, ...content },
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
