import { expect, it } from 'vitest'
import { makeSlice } from '../../../../test/support/objects.ts'
import { describeIn, type Subject } from './subject.ts'

/** Describes creating, reading, patching and naming, which is the same for every resource. */
export function describeObjects(subject: Subject): void {
  describeIn(subject, 'objects', (place) => {
    const slice = (name: string) => makeSlice({ namespace: place.namespace, name })

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
