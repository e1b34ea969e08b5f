import { expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const MISSING = 'is required for apply patch'

/** Describes who owns which field, and what happens to fields that nobody wants any longer (KEP-555). */
export function describeServerSideApply(subject: Subject): void {
  describeIn(subject, 'server-side-apply', (place) => {
    const send = (path: string, configuration: unknown, query: string): Promise<RawResponse> =>
      place.client.send('PATCH', `${path}?${query}`, { body: configuration, headers: APPLY })

    /** Applies a ConfigMap as a manager. */
    const apply = (name: string, data: Json, manager: string, query = ''): Promise<RawResponse> =>
      send(place.path('configmaps', name), configMap(name, data), `fieldManager=${manager}${query}`)

    const service = (name: string, spec: Json, manager: string): Promise<RawResponse> =>
      send(
        place.path('services', name),
        { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec },
        `fieldManager=${manager}`,
      )

    it('creates what does not exist with 201, and owns what was applied and no default', async () => {
      const { status, body } = await service('made', { ports: [{ port: 80, name: 'a' }] }, 'one')
      expect(status).toBe(201)
      expect(body.spec.type).toBe('ClusterIP')
      expect(owners(body)).toEqual([
        [
          'one',
          'Apply',
          {
            'f:spec': {
              'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
            },
          },
        ],
      ])
    })

    it('changes nothing when the same is applied again, the version and the time neither', async () => {
      const first = await apply('again', { a: '1' }, 'one')
      const second = await apply('again', { a: '1' }, 'one')
      expect([first.status, second.status]).toEqual([201, 200])
      expect(second.body).toEqual(first.body)
    })

    it('takes YAML', async () => {
      const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n'
      const { body } = await send(place.path('configmaps', 'yaml'), text, 'fieldManager=one')
      expect(body.data).toEqual({ a: '1' })
    })

    it('removes what an applier drops and nobody else owns', async () => {
      await apply('dropped', { a: '1', b: '2' }, 'one')
      await apply('dropped', { b: '2', c: '3' }, 'two')
      const { body } = await apply('dropped', {}, 'one')
      expect(body.data).toEqual({ b: '2', c: '3' })
      const last = await send(
        place.path('configmaps', 'dropped'),
        configMap('dropped', undefined),
        'fieldManager=two',
      )
      expect(last.body.data).toBeUndefined()
    })

    it('keeps what an updater has set when an applier drops it', async () => {
      await apply('updated', { a: '1' }, 'one')
      const path = `${place.path('configmaps', 'updated')}?fieldManager=updater`
      const updated = accepted(await place.client.patch(path, { data: { a: '2' } }))
      expect(owners(updated).map(([name, operation]) => [name, operation])).toEqual([['updater', 'Update']])
      expect((await apply('updated', {}, 'one')).body.data).toEqual({ a: '2' })
    })

    it('lets two managers share a field that both apply with one value', async () => {
      await apply('shared', { a: '1' }, 'one')
      const { body } = await apply('shared', { a: '1' }, 'two')
      const fields = { 'f:data': { 'f:a': {} } }
      // An entry without a time, whose apply has changed nothing, stands first.
      expect(owners(body)).toEqual([
        ['two', 'Apply', fields],
        ['one', 'Apply', fields],
      ])
    })

    it('refuses to change the field of another with 409 and the field as a cause', async () => {
      await apply('conflict', { a: '1', b: '1' }, 'one')
      const { status, body } = await apply('conflict', { a: '2' }, 'two')
      expect(status).toBe(409)
      expect(body).toMatchObject({
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
        details: {
          causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }],
        },
      })
      const several = await apply('conflict', { a: '2', b: '2' }, 'two')
      expect(several.body.message).toBe(
        'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
      )
    })

    it('names the version of an updater that an apply conflicts with', async () => {
      await place.client.post(
        `${place.path('configmaps')}?fieldManager=updater`,
        configMap('version', { a: '1' }),
      )
      expect((await apply('version', { a: '2' }, 'one')).body.message).toBe(
        'Apply failed with 1 conflict: conflict with "updater" using v1: .data.a',
      )
    })

    it('takes the field from its owner by force', async () => {
      await apply('forced', { a: '1' }, 'one')
      const { status, body } = await apply('forced', { a: '2' }, 'two', '&force=true')
      expect(status).toBe(200)
      expect(owners(body)).toEqual([['two', 'Apply', { 'f:data': { 'f:a': {} } }]])
    })

    it('merges lists by key and leaves the elements of others alone', async () => {
      await service('ports', { ports: [{ port: 80, name: 'a' }], selector: { a: 'b' } }, 'one')
      const both = await service('ports', { ports: [{ port: 81, name: 'b' }] }, 'two')
      expect(both.body.spec.ports.map(({ port }: Json) => port)).toEqual([80, 81])
      const left = await service('ports', { selector: { a: 'b' } }, 'one')
      expect(left.body.spec.ports.map(({ port }: Json) => port)).toEqual([81])
    })

    it('merges sets by value', async () => {
      const finalizers = (name: string, values: string[]): Json => {
        const configuration = configMap('set', undefined)
        return send(
          place.path('configmaps', 'set'),
          { ...configuration, metadata: { name: 'set', finalizers: values } },
          `fieldManager=${name}`,
        )
      }
      await finalizers('one', ['example.org/a', 'example.org/b'])
      const { body } = await finalizers('two', ['example.org/c', 'example.org/b'])
      expect(body.metadata.finalizers).toEqual(['example.org/a', 'example.org/c', 'example.org/b'])
      await finalizers('one', [])
      const last = await finalizers('two', [])
      expect(last.body.metadata.finalizers).toBeUndefined()
    })

    it('treats atomic maps and lists as one field', async () => {
      await service('atomic', { ports: [{ port: 80 }], selector: { a: 'b' } }, 'one')
      const { status, body } = await service('atomic', { selector: { c: 'd' } }, 'two')
      expect(status).toBe(409)
      expect(body.details.causes.map(({ field }: Json) => field)).toEqual(['.spec.selector'])
    })

    it('applies to the status alone by its subresource', async () => {
      await service('status', { ports: [{ port: 80 }] }, 'one')
      const conditions = [
        {
          type: 'Ready',
          status: 'True',
          reason: 'x',
          message: '',
          lastTransitionTime: '2024-01-01T00:00:00Z',
        },
      ]
      const configuration = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'status' },
        spec: { type: 'NodePort' },
        status: { conditions },
      }
      const path = `${place.path('services', 'status')}/status`
      const { status, body } = await send(path, configuration, 'fieldManager=two')
      expect(status).toBe(200)
      expect(body.spec.type).toBe('ClusterIP')
      expect(body.status.conditions).toHaveLength(1)
      const entry = body.metadata.managedFields.find(({ manager }: Json) => manager === 'two')
      expect(entry.subresource).toBe('status')
      expect(Object.keys(entry.fieldsV1)).toEqual(['f:status'])
    })

    it('says what it would do in a dry run, and does not', async () => {
      const { status, body } = await apply('dry', { a: '1' }, 'one', '&dryRun=All')
      expect(status).toBe(201)
      expect(body.data).toEqual({ a: '1' })
      expect((await place.client.get(place.path('configmaps', 'dry'))).status).toBe(404)
    })

    it('starts with an owner of what was there where nobody was known to own it', async () => {
      await place.create('configmaps', configMap('before', { a: '1' }))
      const cleared = await place.client.patch(place.path('configmaps', 'before'), {
        metadata: { managedFields: [{}] },
      })
      expect(cleared.body.metadata.managedFields).toBeUndefined()
      expect((await apply('before', { a: '2' }, 'one')).body.message).toContain(
        'conflict with "before-first-apply" using v1: .data.a',
      )
      const { body } = await apply('before', { b: '1' }, 'one')
      expect(owners(body).map(([name]) => name)).toEqual(['one', 'before-first-apply'])
    })

    it('lets kubectl take over what it applied from the client side, and keeps its annotation', async () => {
      const configuration = configMap('migrated', { a: '1', b: '1' })
      const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
      await place.client.post(`${place.path('configmaps')}?fieldManager=kubectl-client-side-apply`, {
        ...configuration,
        metadata: { name: 'migrated', annotations: { [annotation]: `${JSON.stringify(configuration)}\n` } },
      })
      expect((await apply('migrated', { a: '2' }, 'another')).status).toBe(409)
      const { status, body } = await apply('migrated', { a: '2' }, 'kubectl')
      expect(status).toBe(200)
      expect(JSON.parse(body.metadata.annotations[annotation]).data).toEqual({ a: '2' })
    })

    it('keeps no more than ten updaters apart', async () => {
      await place.create('configmaps', configMap('many', { first: 'x' }))
      for (let index = 0; index < 14; index++) {
        const path = `${place.path('configmaps', 'many')}?fieldManager=manager-${index}`
        accepted(await place.client.patch(path, { data: { [`key${index}`]: 'x' } }))
      }
      const { body } = await place.client.get(place.path('configmaps', 'many'))
      const names = owners(body).map(([name]) => name)
      expect(names).toHaveLength(10)
      expect(names).toContain('ancient-changes')
    })

    it.each([
      [
        'no manager',
        'force=true',
        {},
        [422, `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: ${MISSING}`],
      ],
      [
        'managed fields',
        '',
        { metadata: { name: 'bad', managedFields: [] } },
        [400, 'metadata.managedFields must be nil'],
      ],
      ['another kind', '', { kind: 'Secret' }, [400, 'invalid object type: /v1, Kind=Secret']],
      [
        'another name',
        '',
        { metadata: { name: 'other' } },
        [400, 'the name of the object (other) does not match the name on the URL (bad)'],
      ],
      [
        'an unknown field',
        '',
        { bogus: 1 },
        [
          500,
          'failed to create typed patch object (/bad; /v1, Kind=ConfigMap): .bogus: field not declared in schema',
        ],
      ],
      [
        'a wrong type',
        '',
        { data: { a: 1 } },
        [
          500,
          'failed to create typed patch object (/bad; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}',
        ],
      ],
      [
        'a field of the wrong shape',
        '',
        { data: ['a'] },
        [
          500,
          'failed to create typed patch object (/bad; /v1, Kind=ConfigMap): .data: expected map, got &{[a]}',
        ],
      ],
    ] as const)('refuses %s', async (_what, query, change, [code, message]) => {
      const manager = query === '' ? 'fieldManager=one' : query
      const { status, body } = await send(
        place.path('configmaps', 'bad'),
        { ...configMap('bad', undefined), ...change },
        manager,
      )
      expect([status, body.message]).toEqual([code, message])
    })

    it('refuses two elements of one key', async () => {
      const ports = [
        { port: 81, name: 'b' },
        { port: 81, name: 'c' },
      ]
      const { status, body } = await service('twice', { ports }, 'one')
      expect([status, body.message]).toEqual([
        500,
        'failed to create typed patch object (/twice; /v1, Kind=Service): .spec.ports: duplicate entries for key [port=81,protocol="TCP"]',
      ])
    })

    it('refuses a version of the object that is not the latest', async () => {
      await apply('stale', { a: '1' }, 'one')
      const configuration = configMap('stale', { a: '2' })
      const path = place.path('configmaps', 'stale')
      const stale = { ...configuration, metadata: { name: 'stale', resourceVersion: '1' } }
      expect((await send(path, stale, 'fieldManager=one')).status).toBe(409)
    })

    it('warns of duplicate members, and rejects them with strict validation', async () => {
      const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"dup"},"data":{"a":"1","a":"2"}}'
      const path = place.path('configmaps', 'dup')
      const strict = await send(path, text, 'fieldManager=one&fieldValidation=Strict')
      expect(strict.status).toBe(400)
      expect(strict.body.message).toContain('key "a" already set in map')
      const warned = await send(path, text, 'fieldManager=one')
      expect(warned.headers.warning).toContain('already set in map')
      expect(warned.body.data).toEqual({ a: '2' })
    })
  })
}

function configMap(name: string, data: Json): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...(data && { data }) }
}

/** Returns the managers of an object with their operation and fields. */
function owners({ metadata }: Json): [string, string, Json][] {
  const entries: Json[] = metadata.managedFields ?? []
  return entries.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])
}
