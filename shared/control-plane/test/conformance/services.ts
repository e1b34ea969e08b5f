import { expect, it } from 'vitest'
import { makeService } from '../../../../test/support/objects.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const IPV4 = /^10\.0\.\d+\.\d+$/
const IPV6 = /^fd00:10::/

/** Describes the fields of a Service that decide about its slices: families, cluster IPs, target ports. */
export function describeServices(subject: Subject): void {
  describeIn(subject, 'services', (place) => {
    const make = (input: Parameters<typeof makeService>[0]) =>
      place.create('services', makeService({ namespace: place.namespace, ...input }))

    it('fills in what a plain Service leaves open', async () => {
      const { spec, metadata } = await make({ name: 'plain', ports: [{ port: 80 }] })
      expect(spec).toEqual({
        type: 'ClusterIP',
        selector: { app: 'plain' },
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        clusterIP: expect.stringMatching(IPV4),
        clusterIPs: [spec.clusterIP],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
        sessionAffinity: 'None',
      })
      expect(metadata).not.toHaveProperty('generation')
    })

    it('gives a dual-stack Service an address of each family', async () => {
      const { spec } = await make({ name: 'dual', spec: { ipFamilyPolicy: 'PreferDualStack' } })
      expect(spec.ipFamilies).toEqual(['IPv4', 'IPv6'])
      expect(spec.clusterIPs).toEqual([expect.stringMatching(IPV4), expect.stringMatching(IPV6)])
    })

    it('gives a Service of the family IPv6 an IPv6 address', async () => {
      const { spec } = await make({ name: 'six', spec: { ipFamilies: ['IPv6'] } })
      expect(spec).toMatchObject({ ipFamilies: ['IPv6'], clusterIP: expect.stringMatching(IPV6) })
    })

    it('gives a headless Service no address, and both families where it has no selector', async () => {
      const headless = await make({ name: 'headless', spec: { clusterIP: 'None' } })
      expect(headless.spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'] })
      const bare = await make({ name: 'bare', selector: null, spec: { clusterIP: 'None' } })
      expect(bare.spec).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' })
    })

    it('keeps the address over updates that leave it out, and refuses another one', async () => {
      const { spec } = await make({ name: 'kept' })
      const path = place.path('services', 'kept')
      const update = makeService({ namespace: place.namespace, name: 'kept', selector: { app: 'other' } })
      const updated = accepted(await place.client.put(path, update))
      expect(updated.spec).toMatchObject({ clusterIP: spec.clusterIP, selector: { app: 'other' } })
      const other = await place.client.patch(path, {
        spec: { clusterIP: '10.0.0.250', clusterIPs: ['10.0.0.250'] },
      })
      expect(other.status).toBe(422)
    })

    it('gives no two Services the same address, and a freed one again', async () => {
      const { spec } = await make({ name: 'holder' })
      const { clusterIP } = spec
      const second = makeService({ namespace: place.namespace, name: 'second', spec: { clusterIP } })
      const refused = await place.client.post(place.path('services'), second)
      expect(refused.status).toBe(422)
      expect(refused.body.message).toContain('provided IP is already allocated')
      accepted(await place.client.delete(place.path('services', 'holder')))
      expect((await place.create('services', second)).spec.clusterIP).toBe(clusterIP)
    })

    it('becomes and unbecomes ExternalName', async () => {
      const { spec } = await make({ name: 'external' })
      expect(spec.clusterIP).toMatch(IPV4)
      const path = place.path('services', 'external')
      const away = { type: 'ExternalName', externalName: 'example.org', clusterIP: null, clusterIPs: null }
      expect(accepted(await place.client.patch(path, { spec: away })).spec).not.toHaveProperty('clusterIP')
      const back = accepted(
        await place.client.patch(path, { spec: { type: 'ClusterIP', externalName: null } }),
      )
      expect(back.spec.clusterIP).toMatch(IPV4)
    })

    it('answers a delete with the object', async () => {
      const { metadata } = await make({ name: 'deleted' })
      const body = accepted(await place.client.delete(place.path('services', 'deleted')))
      expect(body).toMatchObject({ kind: 'Service', metadata: { uid: metadata.uid } })
    })

    it.each([
      ['no ports', { ports: [] }, 'spec.ports'],
      ['two ports without names', { ports: [{ port: 80 }, { port: 81 }] }, 'spec.ports[0].name'],
      ['a port out of range', { ports: [{ port: 70_000 }] }, 'spec.ports[0].port'],
      ['a selector that is no label', { selector: { 'not a key': 'x' } }, 'spec.selector'],
    ])('refuses a Service with %s', async (_, input, field) => {
      const service = makeService({ namespace: place.namespace, name: 'wrong', ...input })
      const { status, body } = await place.client.post(place.path('services'), service)
      expect(status).toBe(422)
      expect(body.details.causes.map((cause: { field: string }) => cause.field)).toContain(field)
    })
  })
}
