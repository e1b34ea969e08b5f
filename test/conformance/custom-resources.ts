import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Json } from '../support/raw-client.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GROUP = 'conformance.example.com'
const WARN = 'warning'
const PATIENCE = { timeout: 15_000, interval: 50 }

/** A definition of `plural.conformance.example.com`; `version` is laid over its only version. */
function definition(plural: string, version: Json = {}, spec: Json = {}): Json {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: WIDGET }, ...version },
      ],
      ...spec,
    },
  }
}

const WIDGET: Json = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
        color: { type: 'string', enum: ['red', 'blue'] },
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        port: { 'x-kubernetes-int-or-string': true },
        parts: {
          type: 'array',
          maxItems: 3,
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string' }, weight: { type: 'integer', default: 1 } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' } } },
  },
}

/** CustomResourceDefinitions and the resources that they define. */
export function describeCustomResources(subject: Subject): void {
  describeIn(subject, 'custom-resources', (place) => {
    const made: string[] = []
    const objects = (plural: string, name = '', version = 'v1'): string =>
      `/apis/${GROUP}/${version}/namespaces/${place.namespace}/${plural}${name === '' ? '' : `/${name}`}`
    const widget = (name: string, content: Json = {}): Json => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'Widget',
      metadata: { name },
      ...content,
    })

    async function define(crd: Json): Promise<Json> {
      const { name } = crd.metadata
      const body = accepted(await place.client.post(CRDS, crd))
      made.push(name)
      await vi.waitFor(
        async () => {
          const { body: now } = await place.client.get(`${CRDS}/${name}`)
          expect(conditions(now)).toContain('Established=True')
          const { plural } = crd.spec.names
          for (const version of crd.spec.versions) {
            if (!version.served) continue
            const path = `/apis/${GROUP}/${version.name}/${plural}`
            expect((await place.client.get(path)).status).toBe(200)
          }
        },
        { timeout: 15_000, interval: 50 },
      )
      return body
    }

    beforeAll(async () => {
      await define(
        definition('widgets', {
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'First', type: 'string', jsonPath: '.spec.parts[0].id', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          selectableFields: [{ jsonPath: '.spec.color' }],
        }),
      )
    }, 30_000)

    afterAll(async () => {
      for (const name of made) await place.client.delete(`${CRDS}/${name}`)
    })

    describe('definitions', () => {
      it('fills in names and the stored version, then accepts the names and establishes', async () => {
        const body = await define(definition('gadgets'))
        expect(body.spec.names).toEqual({
          plural: 'gadgets',
          singular: 'gadget',
          kind: 'Gadget',
          listKind: 'GadgetList',
        })
        expect(body.spec.conversion).toEqual({ strategy: 'None' })
        expect(body.status.storedVersions).toEqual(['v1'])
        expect(body.metadata.generation).toBe(1)
        const { body: now } = await place.client.get(`${CRDS}/gadgets.${GROUP}`)
        expect(now.status.acceptedNames).toEqual(body.spec.names)
        expect(conditions(now)).toEqual(['NamesAccepted=True', 'Established=True'])
      })

      it('does not accept names that another definition of the group has', async () => {
        const crd = definition('doubles', {}, { names: { plural: 'doubles', kind: 'Widget' } })
        made.push(crd.metadata.name)
        accepted(await place.client.post(CRDS, crd))
        await vi.waitFor(async () => {
          const { body } = await place.client.get(`${CRDS}/${crd.metadata.name}`)
          expect(conditions(body)).toEqual(['NamesAccepted=False', 'Established=False'])
          expect(body.status.conditions[0]).toMatchObject({
            reason: 'ListKindConflict',
            message: '"WidgetList" is already in use',
          })
        }, PATIENCE)
        expect((await place.client.get(objects('doubles'))).status).toBe(404)
      })

      const refused: [string, Json, string[]][] = [
        [
          'a name that is not made of plural and group',
          { ...definition('as'), metadata: { name: 'bs.x.io' } },
          ['metadata.name: Invalid value: "bs.x.io": must be spec.names.plural+"."+spec.group'],
        ],
        [
          'an unknown scope',
          definition('as', {}, { scope: 'Everywhere' }),
          ['spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", "Namespaced"'],
        ],
        [
          'two storage versions',
          twoStorageVersions(),
          ['must have exactly one version marked as storage version'],
        ],
        [
          'no schema',
          definition('as', { schema: undefined }),
          ['spec.versions[0].schema.openAPIV3Schema: Required value'],
        ],
        [
          'a schema without types',
          withSchema({ type: 'object', properties: { spec: { properties: { a: {} } } } }),
          [
            'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
            'spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
          ],
        ],
        [
          'types within alternatives',
          withSchema({
            type: 'object',
            properties: { a: { type: 'string', anyOf: [{ type: 'string' }, { minLength: 1 }] } },
          }),
          [
            'spec.validation.openAPIV3Schema.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
          ],
        ],
        [
          'a default that the schema does not allow',
          withSchema({ type: 'object', properties: { a: { type: 'integer', maximum: 3, default: 4 } } }),
          [
            'spec.validation.openAPIV3Schema.properties[a].default: Invalid value: 4:  in body should be less than or equal to 3',
          ],
        ],
        [
          'a pattern that is none',
          withSchema({ type: 'object', properties: { a: { type: 'string', pattern: '[' } } }),
          [
            'spec.validation.openAPIV3Schema.properties[a].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
          ],
        ],
        [
          'a list map without its keys',
          withSchema({
            type: 'object',
            properties: {
              a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
            },
          }),
          [
            'spec.validation.openAPIV3Schema.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
          ],
        ],
        [
          'a rule about a field that is not there',
          withSchema({
            type: 'object',
            properties: { a: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule: 'self.b > 1' }],
          }),
          ["compilation failed: ERROR: <input>:1:5: undefined field 'b'"],
        ],
        [
          'a rule that is no condition',
          withSchema({
            type: 'object',
            properties: { a: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule: '1 + 1' }],
          }),
          ['must evaluate to a bool'],
        ],
      ]

      it.each(refused)('refuses %s', async (_what, crd, texts) => {
        const { status, body } = await place.client.post(CRDS, crd)
        expect(status).toBe(422)
        expect(body).toMatchObject({ reason: 'Invalid', details: { kind: 'CustomResourceDefinition' } })
        for (const text of texts) expect(body.message).toContain(text)
      })

      it('appears in discovery and in OpenAPI', async () => {
        const { body } = await place.client.get(`/apis/${GROUP}/v1`)
        expect(body.resources.filter(({ name }: Json) => name.startsWith('widgets'))).toEqual([
          {
            name: 'widgets',
            singularName: 'widget',
            namespaced: true,
            kind: 'Widget',
            verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
            storageVersionHash: expect.any(String),
          },
          {
            name: 'widgets/status',
            singularName: '',
            namespaced: true,
            kind: 'Widget',
            verbs: ['get', 'patch', 'update'],
          },
        ])
        await vi.waitFor(
          async () => {
            const document = await place.client.get(`/openapi/v3/apis/${GROUP}/v1`)
            const schema = document.body.components.schemas[`com.example.conformance.v1.Widget`]
            expect(schema.properties.spec.properties.size).toMatchObject({ type: 'integer', maximum: 10 })
            expect(schema['x-kubernetes-group-version-kind']).toEqual([
              { group: GROUP, kind: 'Widget', version: 'v1' },
            ])
          },
          { timeout: 15_000, interval: 100 },
        )
      })

      it('deletes its objects with it, and waits for their finalizers', async () => {
        await define(definition('leftovers', {}, { names: { plural: 'leftovers', kind: 'Leftover' } }))
        const held = { name: 'held', finalizers: ['example.com/hold'] }
        const object = { apiVersion: `${GROUP}/v1`, kind: 'Leftover', metadata: held }
        accepted(await place.client.post(objects('leftovers'), object))
        const { body } = await place.client.delete(`${CRDS}/leftovers.${GROUP}`)
        expect(body.kind).toBe('CustomResourceDefinition')
        expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io'])
        expect(conditions(body)).toContain('Terminating=True')
        await vi.waitFor(async () => {
          const { body: left } = await place.client.get(objects('leftovers', 'held'))
          expect(left.metadata.deletionTimestamp).toBeDefined()
        }, PATIENCE)
        const another = await place.client.post(objects('leftovers'), {
          ...object,
          metadata: { name: 'late' },
        })
        expect(another.status).toBe(403)
        expect(another.body.message).toContain(
          'create not allowed while custom resource definition is terminating',
        )
        await place.client.patch(objects('leftovers', 'held'), { metadata: { finalizers: null } })
        await vi.waitFor(
          async () => expect((await place.client.get(`${CRDS}/leftovers.${GROUP}`)).status).toBe(404),
          { timeout: 15_000, interval: 100 },
        )
        await vi.waitFor(
          async () => expect((await place.client.get(objects('leftovers'))).status).toBe(404),
          PATIENCE,
        )
      }, 30_000)
    })

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
        expect([status.spec.size, status.status, status.metadata.labels]).toEqual([
          3,
          { ready: 2 },
          undefined,
        ])
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
        expect(
          body.columnDefinitions.map(({ name, type, priority }: Json) => [name, type, priority]),
        ).toEqual([
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
    })

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
                messageExpression: "'too long: ' + self.names.filter(n, n.size() >= 4).join(',')",
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
      }, 30_000)

      const causes = (body: Json): Json[] => body.details.causes

      it('refuse what they are not true of, with their message, reason and field', async () => {
        const { status, body } = await place.client.post(
          objects('ruleds'),
          object('bad', { min: 2, max: 1, names: ['a', 'abcd', 'abcde'] }),
        )
        expect(status).toBe(422)
        expect(causes(body)).toEqual([
          { reason: 'FieldValueInvalid', message: 'Invalid value: min must not exceed max', field: 'spec' },
          { reason: 'FieldValueForbidden', message: 'Forbidden: too long: abcd,abcde', field: 'spec.names' },
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

    describe('versions and scale', () => {
      const scalable = {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
          status: {
            type: 'object',
            properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
          },
        },
      }

      beforeAll(async () => {
        const versions = [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: scalable },
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.replicas',
                statusReplicasPath: '.status.replicas',
                labelSelectorPath: '.status.selector',
              },
            },
          },
          {
            name: 'v1beta1',
            served: true,
            storage: false,
            deprecated: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ]
        await define(definition('fleets', {}, { versions }))
      }, 30_000)

      const fleet = (name: string, version = 'v1'): Json => ({
        apiVersion: `${GROUP}/${version}`,
        kind: 'Fleet',
        metadata: { name },
        spec: { replicas: 2 },
      })

      it('serves an object in every version, and warns of those that are deprecated', async () => {
        const old = await place.client.post(objects('fleets', '', 'v1beta1'), fleet('versioned', 'v1beta1'))
        expect(old.status).toBe(201)
        expect(old.body.apiVersion).toBe(`${GROUP}/v1beta1`)
        expect(old.headers[WARN]).toBe(`299 - "${GROUP}/v1beta1 Fleet is deprecated; use ${GROUP}/v1 Fleet"`)
        const { body, headers } = await place.client.get(objects('fleets', 'versioned'))
        expect(body.apiVersion).toBe(`${GROUP}/v1`)
        expect(headers[WARN]).toBeUndefined()
        const group = await place.client.get(`/apis/${GROUP}`)
        expect(group.body.versions.map(({ version }: Json) => version)).toEqual(['v1', 'v1beta1'])
        expect(group.body.preferredVersion.version).toBe('v1')
      })

      it('shows an object as a Scale and takes its replicas from one', async () => {
        accepted(await place.client.post(objects('fleets'), fleet('scaled')))
        const path = objects('fleets', 'scaled')
        await place.client.patch(`${path}/status`, { status: { replicas: 1, selector: 'a=b' } })
        const { body } = await place.client.get(`${path}/scale`)
        expect(body).toMatchObject({
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: { name: 'scaled', namespace: place.namespace },
          spec: { replicas: 2 },
          status: { replicas: 1, selector: 'a=b' },
        })
        const scaled = accepted(await place.client.patch(`${path}/scale`, { spec: { replicas: 5 } }))
        expect([scaled.kind, scaled.spec.replicas]).toEqual(['Scale', 5])
        expect((await place.client.get(path)).body.spec.replicas).toBe(5)
      })
    })
  })
}

function twoStorageVersions(): Json {
  const crd = definition('as')
  const [version] = crd.spec.versions
  crd.spec.versions = [version, { ...version, name: 'v2', schema: { openAPIV3Schema: { type: 'object' } } }]
  return crd
}

function withSchema(openAPIV3Schema: Json): Json {
  return definition('as', { schema: { openAPIV3Schema } })
}

function conditions(crd: Json): string[] {
  return (crd.status?.conditions ?? []).map(({ type, status }: Json) => `${type}=${status}`)
}
