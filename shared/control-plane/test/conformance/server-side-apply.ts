import { expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const APPLY = { 'content-type': 'application/apply-patch+yaml' }

/** Describes who owns which field, and what happens to fields that nobody wants any longer (KEP-555). */
export function describeServerSideApply(subject: Subject): void {
  describeIn(subject, 'server-side-apply', (place) => {
    const send = (path: string, configuration: unknown, query: string): Promise<RawResponse> =>
      place.client.send('PATCH', `${path}?${query}`, { body: configuration, headers: APPLY })

    /** Applies a ConfigMap as a manager. */
    const apply = (name: string, data: Json, manager: string, query = ''): Promise<RawResponse> =>
      send(place.path('configmaps', name), configMap(name, data), `fieldManager=${manager}${query}`)

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
      [{ a: 1 }, '.data.a: expected string, got &value.valueUnstructured{Value:1}'],
      [['a'], '.data: expected map, got &{[a]}'],
    ])('refuses data of another type: %j', async (data, why) => {
      const { status, body } = await apply('bad', data, 'one')
      expect([status, body.message]).toEqual([
        500,
        `failed to create typed patch object (/bad; /v1, Kind=ConfigMap): ${why}`,
      ])
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
