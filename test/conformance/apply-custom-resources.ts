import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Json, RawResponse } from '../support/raw-client.ts'
import { accepted, describeIn, PATIENCE, type Subject } from './subject.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GROUP = 'apply.example.com'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

const STRUCTURED: Json = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id', 'kind'],
          items: {
            type: 'object',
            required: ['id'],
            properties: {
              id: { type: 'string' },
              kind: { type: 'string', default: 'plain' },
              weight: { type: 'integer' },
            },
          },
        },
        words: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        steps: { type: 'array', items: { type: 'string' } },
        limits: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          additionalProperties: { type: 'string' },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' } } },
  },
}
const FREE: Json = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** Server-side apply to custom resources: their schema says who may own what, and without one the values do. */
export function describeApplyToCustomResources(subject: Subject): void {
  describeIn(subject, 'apply-custom', (place) => {
    beforeAll(async () => {
      await define(subject, 'gears', STRUCTURED)
      await define(subject, 'blobs', FREE)
    }, 120_000)
    afterAll(async () => {
      for (const plural of ['gears', 'blobs']) await subject.client.delete(`${CRDS}/${plural}.${GROUP}`)
    })

    const path = (plural: string, name: string): string =>
      `/apis/${GROUP}/v1/namespaces/${place.namespace}/${plural}/${name}`
    const apply = (
      target: readonly [string, string],
      content: Json,
      manager: string,
    ): Promise<RawResponse> => {
      const [plural, name] = target
      const kind = plural === 'gears' ? 'Gear' : 'Blob'
      const configuration = { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, ...content }
      const url = `${path(plural, name)}?fieldManager=${manager}`
      return place.client.send('PATCH', url, { body: configuration, headers: APPLY })
    }
    const fields = ({ metadata }: Json, manager: string): Json =>
      metadata.managedFields.find((entry: Json) => entry.manager === manager)?.fieldsV1

    it('owns elements of a list by their keys, defaults included, and values of a set', async () => {
      const spec = { parts: [{ id: 'a', weight: 1 }], words: ['x'], steps: ['one'], limits: { cpu: '1' } }
      const { status, body } = await apply(['gears', 'made'], { spec }, 'one')
      expect(status).toBe(201)
      expect(fields(body, 'one')).toEqual({
        'f:spec': {
          'f:limits': {},
          'f:parts': { 'k:{"id":"a","kind":"plain"}': { '.': {}, 'f:id': {}, 'f:weight': {} } },
          'f:steps': {},
          'f:words': { 'v:"x"': {} },
        },
      })
    })

    it('merges what two managers apply, and takes away what one of them drops', async () => {
      await apply(['gears', 'merged'], { spec: { parts: [{ id: 'a' }], words: ['x'], size: 1 } }, 'one')
      const both = await apply(['gears', 'merged'], { spec: { parts: [{ id: 'b' }], words: ['y'] } }, 'two')
      expect(both.body.spec.parts.map(({ id }: Json) => id)).toEqual(['a', 'b'])
      expect(both.body.spec.words).toEqual(['x', 'y'])
      const left = await apply(['gears', 'merged'], { spec: { size: 1 } }, 'one')
      expect(left.body.spec).toEqual({ size: 1, parts: [{ id: 'b', kind: 'plain' }], words: ['y'] })
    })

    it('gives atomic lists and maps one owner', async () => {
      await apply(['gears', 'atomic'], { spec: { steps: ['one'], limits: { cpu: '1' } } }, 'one')
      const { status, body } = await apply(
        ['gears', 'atomic'],
        { spec: { steps: ['two'], limits: { memory: '1' } } },
        'two',
      )
      expect(status).toBe(409)
      const named = body.details.causes.map(({ field }: Json) => field)
      expect(named.toSorted()).toEqual(['.spec.limits', '.spec.steps'])
    })

    it('refuses fields that the schema does not have', async () => {
      const { status, body } = await apply(['gears', 'unknown'], { spec: { bogus: 1 } }, 'one')
      expect([status, body.message]).toEqual([
        500,
        `failed to create typed patch object (/unknown; ${GROUP}/v1, Kind=Gear): .spec.bogus: field not declared in schema`,
      ])
    })

    it('deduces from the values where there is no schema: objects by member, lists as a whole', async () => {
      const spec = { a: { b: 1 }, list: [{ id: 'x' }] }
      const { body } = await apply(['blobs', 'deduced'], { spec }, 'one')
      expect(fields(body, 'one')).toEqual({
        'f:spec': { '.': {}, 'f:a': { '.': {}, 'f:b': {} }, 'f:list': {} },
      })
      const more = await apply(['blobs', 'deduced'], { spec: { a: { c: 2 } } }, 'two')
      expect(more.body.spec.a).toEqual({ b: 1, c: 2 })
      const other = await apply(['blobs', 'deduced'], { spec: { list: [] } }, 'two')
      expect(other.body.details.causes.map(({ field }: Json) => field)).toEqual(['.spec.list'])
    })

    it('deduces in the part of a schema that is free', async () => {
      const { body } = await apply(['gears', 'free'], { spec: { free: { a: { b: [1] } } } }, 'one')
      expect(fields(body, 'one')).toEqual({
        'f:spec': { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } },
      })
    })

    it('changes nothing when the same is applied again', async () => {
      const spec = { parts: [{ id: 'a' }], words: ['x'], free: { a: 1 } }
      const first = await apply(['gears', 'again'], { spec }, 'one')
      const second = await apply(['gears', 'again'], { spec }, 'one')
      expect(second.body).toEqual(first.body)
    })

    it('tracks updates too', async () => {
      await apply(['gears', 'updated'], { spec: { size: 1 } }, 'one')
      const url = `${path('gears', 'updated')}?fieldManager=updater`
      const updated = accepted(await place.client.patch(url, { spec: { size: 2, words: ['x'] } }))
      expect(fields(updated, 'one')).toBeUndefined()
      expect(fields(updated, 'updater')).toEqual({
        'f:spec': { 'f:size': {}, 'f:words': { '.': {}, 'v:"x"': {} } },
      })
    })
  })
}

async function define({ client }: Subject, plural: string, openAPIV3Schema: Json): Promise<void> {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
  const names = { plural, kind }
  accepted(
    await client.post(CRDS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${GROUP}` },
      spec: { group: GROUP, scope: 'Namespaced', names, versions },
    }),
  )
  await vi.waitFor(async () => {
    const { status } = await client.get(`/apis/${GROUP}/v1/namespaces/default/${plural}`)
    expect(status).toBe(200)
    const { body } = await client.get(`${CRDS}/${plural}.${GROUP}`)
    const established = body.status.conditions.find(({ type }: Json) => type === 'Established')
    expect(established?.status).toBe('True')
  }, PATIENCE)
}
