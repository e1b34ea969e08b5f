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
  })
}
