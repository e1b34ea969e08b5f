import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import { CRDS, createDefinition, definition } from './custom-resources/scene.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

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

/**
 * Describes server-side apply to custom resources. Their schema says who may own what; without one the values
 * do.
 */
export function describeApplyToCustomResources(subject: Subject): void {
  describeIn(subject, 'apply-custom', (place) => {
    beforeAll(async () => {
      await createDefinition(subject.client, kindOf('gears', STRUCTURED))
      await createDefinition(subject.client, kindOf('blobs', FREE))
      await createDefinition(subject.client, kindOf('cogs', cogOf('size'), cogOf('size', 'width')))
    }, 120_000)
    afterAll(async () => {
      for (const plural of ['gears', 'blobs', 'cogs'])
        await subject.client.delete(`${CRDS}/${plural}.${GROUP}`)
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
      expect(fields(body, 'one')).toEqual({ 'f:spec': { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } } })
    })

    it('owns nothing of the metadata by an apply to the status', async () => {
      await apply(['gears', 'status'], { spec: { size: 1 } }, 'one')
      const body = {
        apiVersion: `${GROUP}/v1`,
        kind: 'Gear',
        metadata: { name: 'status', labels: { a: 'b' } },
        status: { ready: 1 },
      }
      const url = `${path('gears', 'status')}/status?fieldManager=two`
      const answer = accepted(await place.client.send('PATCH', url, { body, headers: APPLY }))
      expect(fields(answer, 'two')).toEqual({ 'f:status': { 'f:ready': {} } })
    })

    it('makes null of what loses all that was applied and is still owned', async () => {
      await apply(['gears', 'emptied'], { spec: { size: 1 } }, 'one')
      await apply(['gears', 'emptied'], { spec: {} }, 'two')
      const { status, body } = await apply(['gears', 'emptied'], { spec: {} }, 'one')
      expect([status, body.details.causes[0].message]).toEqual([
        422,
        'Invalid value: "null": spec in body must be of type object: "null"',
      ])
    })

    it('takes from an owner what becomes a value of another kind', async () => {
      await apply(['blobs', 'other'], { spec: { a: { b: 1 } } }, 'one')
      const url = `${path('blobs', 'other')}?fieldManager=two`
      const updated = accepted(await place.client.patch(url, { spec: { a: 'text' } }))
      expect([fields(updated, 'one'), fields(updated, 'two')]).toEqual([
        { 'f:spec': {} },
        { 'f:spec': { 'f:a': {} } },
      ])
    })

    it('keeps no owners where the version of one does not have a field', async () => {
      const url = (version: string): string =>
        `/apis/${GROUP}/${version}/namespaces/${place.namespace}/cogs/narrow?fieldManager=${version}`
      const cog = (version: string, spec: Json): Json => ({
        apiVersion: `${GROUP}/${version}`,
        kind: 'Cog',
        metadata: { name: 'narrow' },
        spec,
      })
      const applied = (version: string, spec: Json): Promise<RawResponse> =>
        place.client.send('PATCH', url(version), { body: cog(version, spec), headers: APPLY })
      accepted(await applied('v1', { size: 1 }))
      const refused = await applied('v2', { width: 2 })
      expect([refused.status, refused.body.message]).toEqual([
        500,
        'failed to convert new object: .spec.width: field not declared in schema',
      ])
      const updated = accepted(await place.client.patch(url('v2'), { spec: { width: 2 } }))
      expect([updated.spec, updated.metadata.managedFields]).toEqual([{ size: 1, width: 2 }, undefined])
    })
  })
}

function cogOf(...names: readonly string[]): Json {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
  return { type: 'object', properties: { spec: { type: 'object', properties } } }
}

/** Makes a definition. The last schema is that of the version that is stored. */
function kindOf(plural: string, ...schemas: readonly Json[]): Json {
  const versions = schemas.map((openAPIV3Schema, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === schemas.length - 1,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  }))
  return definition(plural, {}, { group: GROUP, versions })
}
