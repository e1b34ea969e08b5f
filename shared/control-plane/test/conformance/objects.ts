import { expect, it } from 'vitest'
import { makeNode, makeSlice } from '../../../../test/support/objects.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

/** Describes creating, reading, patching and naming, which is the same for every resource. */
export function describeObjects(subject: Subject): void {
  describeIn(subject, 'objects', (place) => {
    const slice = (name: string) => makeSlice({ namespace: place.namespace, name })

    it('answers a create with 201 and the object, with uid, version and time of its own', async () => {
      const given = slice('made')
      Object.assign(given.metadata ?? {}, { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z' })
      const { status, body } = await place.client.post(place.path('endpointslices'), given)
      expect(status).toBe(201)
      expect(body.kind).toBe('EndpointSlice')
      expect(body.apiVersion).toBe('discovery.k8s.io/v1')
      expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
      expect(body.metadata.resourceVersion).toMatch(/^\d+$/)
      expect(body.metadata.creationTimestamp).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(body.metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z')
    })

    it('reads back what was created', async () => {
      const created = await place.create('endpointslices', slice('read'))
      const { status, body } = await place.client.get(place.path('endpointslices', 'read'))
      expect(status).toBe(200)
      expect(body).toEqual(created)
    })

    it('takes kind and apiVersion from the path where the object has none', async () => {
      const { apiVersion: _version, kind: _kind, ...plain } = slice('plain')
      expect((await place.create('endpointslices', plain)).kind).toBe('EndpointSlice')
    })

    it('makes a name of generateName and five characters without vowels', async () => {
      const object = slice('')
      object.metadata = { ...object.metadata, name: undefined, generateName: 'web-' }
      const first = await place.create('endpointslices', object)
      const second = await place.create('endpointslices', object)
      expect(first.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(first.metadata.generateName).toBe('web-')
      expect(second.metadata.name).not.toBe(first.metadata.name)
    })

    it('cuts a long generateName so that the name keeps to 63 characters', async () => {
      const object = slice('')
      object.metadata = { ...object.metadata, name: undefined, generateName: `${'a'.repeat(62)}-` }
      const { name } = (await place.create('endpointslices', object)).metadata
      expect(name).toMatch(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    })

    it('gives every write a greater resourceVersion, over all resources', async () => {
      const first = await place.create('endpointslices', slice('older'))
      const second = await place.create('services', {
        metadata: { name: 'newer' },
        spec: { ports: [{ port: 80 }] },
      })
      const version = (object: { metadata: { resourceVersion: string } }): bigint =>
        BigInt(object.metadata.resourceVersion)
      expect(version(second)).toBeGreaterThan(version(first))
    })

    it('creates nothing under a resourceVersion, though a dry run does, and one that is no number does not count', async () => {
      const path = place.path('configmaps')
      const versioned = (resourceVersion: string) => ({ metadata: { name: 'versioned', resourceVersion } })
      const refused = await place.client.post(path, versioned('5'))
      expect([refused.status, refused.body.message]).toEqual([
        500,
        'resourceVersion should not be set on objects to be created',
      ])
      const dry = await place.client.post(`${path}?dryRun=All`, versioned('5'))
      expect([dry.status, dry.body.metadata.resourceVersion]).toEqual([201, '5'])
      for (const none of ['0', 'x']) {
        const created = await place.client.post(path, versioned(none))
        expect([created.status, Number(created.body.metadata.resourceVersion)]).toEqual([
          201,
          expect.any(Number),
        ])
        expect(created.body.metadata.resourceVersion).not.toBe(none)
        accepted(await place.client.delete(`${path}/versioned`))
      }
    })

    it('makes no object of a uid that is gone, by a PUT or an apply', async () => {
      const gone = { metadata: { name: 'gone', uid: 'abc' } }
      const lease = `/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases/gone`
      const { status, body } = await place.client.put(lease, gone)
      expect([status, body.message]).toEqual([
        409,
        `Operation cannot be fulfilled on leases.coordination.k8s.io "gone": StorageError: invalid object, Code: 4, Key: /registry/leases/${place.namespace}/gone, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: abc, UID in object meta: `,
      ])
      // What no PUT creates is not there, whatever its uid.
      expect((await place.client.put(place.path('configmaps', 'gone'), gone)).status).toBe(404)
      const applied = await place.client.send('PATCH', `${place.path('configmaps', 'gone')}?fieldManager=a`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', ...gone },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
      expect([applied.status, applied.body.message]).toEqual([
        409,
        'Operation cannot be fulfilled on configmaps "gone": uid mismatch: the provided object specified uid abc, and no existing object was found',
      ])
    })

    it('keeps the resourceVersion when an update changes nothing', async () => {
      const created = await place.create('endpointslices', slice('same'))
      const updated = accepted(await place.client.put(place.path('endpointslices', 'same'), created))
      expect(updated.metadata.resourceVersion).toBe(created.metadata.resourceVersion)
    })

    it('merges a merge patch, and removes what is null in it', async () => {
      const object = slice('patched')
      Object.assign(object.metadata ?? {}, { annotations: { kept: 'a', gone: 'b' } })
      await place.create('endpointslices', object)
      const patch = { metadata: { annotations: { gone: null, added: 'c' } } }
      const patched = accepted(await place.client.patch(place.path('endpointslices', 'patched'), patch))
      expect(patched.metadata.annotations).toEqual({ kept: 'a', added: 'c' })
    })

    it('applies a JSON patch', async () => {
      await place.create('endpointslices', slice('json-patched'))
      const response = await place.client.send('PATCH', place.path('endpointslices', 'json-patched'), {
        headers: { 'content-type': 'application/json-patch+json' },
        body: [{ op: 'add', path: '/metadata/labels/added', value: 'yes' }],
      })
      expect(accepted(response).metadata.labels.added).toBe('yes')
    })

    it('refuses a JSON patch whose copies double an object again and again', async () => {
      await place.create('configmaps', { metadata: { name: 'copied' }, data: { a: 'x'.repeat(1000) } })
      const doubling = Array.from({ length: 40 }, (_, index) => [
        { op: 'copy', from: '/data', path: '/copied' },
        { op: 'copy', from: '/copied', path: `/data/${index}` },
      ]).flat()
      const response = await place.client.send('PATCH', place.path('configmaps', 'copied'), {
        headers: { 'content-type': 'application/json-patch+json' },
        body: doubling,
      })
      expect(response.status).toBe(422)
      expect(response.body).toMatchObject({
        reason: 'Invalid',
        message: 'the server rejected our request due to an error in our request',
      })
    })

    it('writes the status by its subresource only', async () => {
      const node = makeNode({ name: 'objects-node' })
      accepted(await place.client.post('/api/v1/nodes', node))
      const path = '/api/v1/nodes/objects-node'
      const status = {
        nodeInfo: undefined,
        conditions: [{ type: 'Ready', status: 'False', reason: 'Tested' }],
      }
      const byStatus = accepted(
        await place.client.patch(`${path}/status`, { spec: { unschedulable: true }, status }),
      )
      expect(byStatus.status.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'Tested' }])
      expect(byStatus.spec?.unschedulable).toBeUndefined()
      const byMain = accepted(
        await place.client.patch(path, { spec: { unschedulable: true }, status: { conditions: [] } }),
      )
      expect(byMain.spec.unschedulable).toBe(true)
      expect(byMain.status.conditions).toMatchObject([{ type: 'Ready', reason: 'Tested' }])
    })

    it('drops unknown fields with a Warning header', async () => {
      const object = { ...slice('warned'), bogus: 1 }
      const { status, headers, body } = await place.client.post(place.path('endpointslices'), object)
      expect(status).toBe(201)
      expect(headers.warning).toBe('299 - "unknown field \\"bogus\\""')
      expect(body).not.toHaveProperty('bogus')
    })

    it('keeps nothing of a dry run', async () => {
      const { status } = await place.client.post(`${place.path('endpointslices')}?dryRun=All`, slice('dry'))
      expect(status).toBe(201)
      expect((await place.client.get(place.path('endpointslices', 'dry'))).status).toBe(404)
    })
  })
}
