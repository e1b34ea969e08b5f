import { expect, it } from 'vitest'
import { makeSlice, type SliceInput } from '../../../../test/support/objects.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const endpoints = (count: number): SliceInput['endpoints'] =>
  Array.from({ length: count }, (_, index) => ({ addresses: [`10.1.${index >> 8}.${index & 255}`] }))

export function describeEndpointSlices(subject: Subject): void {
  describeIn(subject, 'endpoint-slices', (place) => {
    const path = (name: string): string => place.path('endpointslices', name)
    const slice = (input: SliceInput) => makeSlice({ namespace: place.namespace, ...input })

    it('fills in names and protocols of ports, and empty conditions', async () => {
      const made = await place.create(
        'endpointslices',
        slice({ name: 'defaults', ports: [{ port: 80 }], endpoints: endpoints(1) }),
      )
      expect(made.ports).toEqual([{ name: '', port: 80, protocol: 'TCP' }])
      expect(made.endpoints).toEqual([{ addresses: ['10.1.0.0'], conditions: {} }])
      expect(made.metadata.generation).toBe(1)
    })

    it('shows empty endpoints and ports as null', async () => {
      const made = await place.create('endpointslices', slice({ name: 'empty' }))
      expect(made.endpoints).toBeNull()
      expect(made.ports).toBeNull()
    })

    it('counts the generation up when endpoints or labels change', async () => {
      await place.create('endpointslices', slice({ name: 'generation' }))
      const relabelled = accepted(
        await place.client.patch(path('generation'), { metadata: { labels: { a: 'b' } } }),
      )
      expect(relabelled.metadata.generation).toBe(2)
      const filled = accepted(await place.client.patch(path('generation'), { endpoints: endpoints(1) }))
      expect(filled.metadata.generation).toBe(3)
    })

    it('keeps everything that an endpoint may say', async () => {
      const endpoint = {
        addresses: ['10.1.2.3'],
        conditions: { ready: false, serving: true, terminating: true },
        hostname: 'web-0',
        nodeName: 'node-1',
        zone: 'zone-a',
        targetRef: { kind: 'Pod', namespace: place.namespace, name: 'web-0', uid: 'u' },
        hints: { forZones: [{ name: 'zone-a' }], forNodes: [{ name: 'node-1' }] },
      }
      const made = await place.create('endpointslices', slice({ name: 'whole', endpoints: [endpoint] }))
      expect(made.endpoints).toEqual([endpoint])
    })

    it('takes 1000 endpoints and not one more', async () => {
      await place.create('endpointslices', slice({ name: 'full', endpoints: endpoints(1000) }))
      const { status, body } = await place.client.post(
        place.path('endpointslices'),
        slice({ name: 'overfull', endpoints: endpoints(1001) }),
      )
      expect(status).toBe(422)
      expect(body.details.causes).toMatchObject([{ reason: 'FieldValueTooMany', field: 'endpoints' }])
    })

    it('never changes the address type', async () => {
      await place.create('endpointslices', slice({ name: 'typed' }))
      const { status, body } = await place.client.patch(path('typed'), { addressType: 'IPv6' })
      expect(status).toBe(422)
      expect(body.message).toContain('addressType')
    })

    it.each<[string, SliceInput, string]>([
      [
        'an address of the other family',
        { endpoints: [{ addresses: ['fd00::1'] }] },
        'endpoints[0].addresses',
      ],
      ['a loopback address', { endpoints: [{ addresses: ['127.0.0.1'] }] }, 'endpoints[0].addresses[0]'],
      ['an endpoint without addresses', { endpoints: [{ addresses: [] }] }, 'endpoints[0].addresses'],
      [
        'two ports of one name',
        {
          ports: [
            { name: 'a', port: 1 },
            { name: 'a', port: 2 },
          ],
        },
        'ports[1].name',
      ],
      ['an unknown protocol', { ports: [{ name: 'a', port: 1, protocol: 'XYZ' }] }, 'ports[0].protocol'],
      [
        'a hostname that is no label',
        { endpoints: [{ addresses: ['10.1.1.1'], hostname: 'a.b' }] },
        'endpoints[0].hostname',
      ],
    ])('refuses %s', async (_, input, field) => {
      const { status, body } = await place.client.post(
        place.path('endpointslices'),
        slice({ name: 'wrong', ...input }),
      )
      expect(status).toBe(422)
      expect(body.details.causes.map((cause: { field: string }) => cause.field)).toContain(field)
    })

    it('answers a delete with a Status that names the object', async () => {
      const { metadata } = await place.create('endpointslices', slice({ name: 'deleted' }))
      expect(accepted(await place.client.delete(path('deleted')))).toMatchObject({
        kind: 'Status',
        status: 'Success',
        details: { name: 'deleted', group: 'discovery.k8s.io', kind: 'endpointslices', uid: metadata.uid },
      })
    })

    it('deletes a selection of a collection', async () => {
      await place.create('endpointslices', slice({ name: 'of-a', service: 'a' }))
      await place.create('endpointslices', slice({ name: 'of-b', service: 'b' }))
      const selected = `${place.path('endpointslices')}?labelSelector=kubernetes.io/service-name%3Da`
      accepted(await place.client.delete(selected))
      expect((await place.client.get(path('of-a'))).status).toBe(404)
      expect((await place.client.get(path('of-b'))).status).toBe(200)
    })
  })
}
