import { expect, it } from 'vitest'
import { makeSlice } from '../../../../test/support/objects.ts'
import { describeIn, type Subject } from './subject.ts'

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

    it('makes no object of a uid that is gone', async () => {
      const gone = { metadata: { name: 'gone', uid: 'abc' } }
      const lease = `/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases/gone`
      const { status, body } = await place.client.put(lease, gone)
      expect([status, body.message]).toEqual([409, expect.stringContaining('UID in precondition: abc')])
      const applied = await place.client.send('PATCH', `${place.path('configmaps', 'gone')}?fieldManager=a`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', ...gone },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
      expect([applied.status, applied.body.message]).toEqual([409, expect.stringContaining('uid mismatch')])
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
  })
}
