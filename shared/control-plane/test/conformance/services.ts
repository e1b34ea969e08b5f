import { expect, it } from 'vitest'
import { makeService } from '../../../../test/support/objects.ts'
import { describeIn, type Subject } from './subject.ts'

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

    it('gives a headless Service no address, and both families where it has no selector', async () => {
      const headless = await make({ name: 'headless', spec: { clusterIP: 'None' } })
      expect(headless.spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'] })
      const bare = await make({ name: 'bare', selector: null, spec: { clusterIP: 'None' } })
      expect(bare.spec).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' })
    })
  })
}
