import { describe, expect, it } from 'vitest'
import { type ClusterExport, type Merge, mergeExports } from './index.ts'
import { anExport, aService, type ServiceSpec, wantedConditionOf } from './merging/merge-exports.fixtures.ts'

const TCP = { name: 'tcp', protocol: 'TCP', port: 42 }
const UDP = { name: 'udp', protocol: 'UDP', port: 42 }

/** The suite's Service `hello`, which is exported in the first cluster, and a minute later in the second. */
const HELLO: ServiceSpec = {
  ports: [TCP, UDP],
  sessionAffinity: 'ClientIP',
  sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
  ipFamilies: ['IPv4', 'IPv6'],
}
const first = (more: ServiceSpec = {}, spec?: ClusterExport['export']['spec']): ClusterExport =>
  anExport('one', { service: { ...HELLO, ...more }, ...(spec && { spec }) })
const second = (more: ServiceSpec = {}, spec?: ClusterExport['export']['spec']): ClusterExport =>
  anExport('two', { minute: 1, service: { ...HELLO, ...more }, ...(spec && { spec }) })

const importOf = (...exports: ClusterExport[]) => mergeExports(exports).merged

function expectConflicts(merge: Merge, status: 'True' | 'False'): void {
  for (const cluster of ['one', 'two'])
    expect(wantedConditionOf(merge, cluster, 'Conflict')?.status).toBe(status)
}

/**
 * Asserts what the conformance suite of mcs-api does of imports and conditions, as far as merging decides it:
 * 14 of its specs that need the API alone. Addresses that fit their families, and slices, are up to what
 * writes them.
 */
describe('the conformance suite of the Multi-Cluster Services API', () => {
  it('has an import as long as one cluster exports', () => {
    expect(importOf(first(), second())?.clusters).toEqual(['one', 'two'])
    expect(importOf(second())?.clusters).toEqual(['two'])
    expect(importOf()).toBeUndefined()
  })

  it('has the labels and annotations that are exported on the import, and no others', () => {
    const service = aService(HELLO)
    const metadata = { ...service.metadata, labels: { own: 'x' }, annotations: { own: 'x' } }
    const maps = {
      exportedLabels: { 'dummy-label': 'true' },
      exportedAnnotations: { 'dummy-annotation': 'true' },
    }
    expect(importOf({ ...first({}, maps), service: { ...service, metadata } })).toMatchObject({
      labels: { 'dummy-label': 'true' },
      annotations: { 'dummy-annotation': 'true' },
    })
    expect(importOf({ ...first(), service: { ...service, metadata } })).toMatchObject({
      labels: {},
      annotations: {},
    })
  })

  it('has those of the older export alone where they differ, and Conflict on both', () => {
    const maps = (value: string) => ({
      exportedLabels: { [value]: 'x' },
      exportedAnnotations: { [value]: 'x' },
    })
    const merge = mergeExports([first({}, maps('a')), second({}, maps('b'))])
    expect(merge.merged).toMatchObject({ labels: { a: 'x' }, annotations: { a: 'x' } })
    expectConflicts(merge, 'True')
  })

  describe('of a ClusterIP Service', () => {
    it('has Valid True and an import of type ClusterSetIP, which goes with the export', () => {
      const merge = mergeExports([first()])
      expect(wantedConditionOf(merge, 'one', 'Valid')?.status).toBe('True')
      expect(merge.merged?.spec.type).toBe('ClusterSetIP')
      expect(importOf()).toBeUndefined()
    })

    it('has its session affinity and the configuration of it', () => {
      const { sessionAffinity, sessionAffinityConfig } = importOf(first())?.spec ?? {}
      expect({ sessionAffinity, sessionAffinityConfig }).toEqual({
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
      })
    })

    it.each(['Cluster', 'Local'])('has its internalTrafficPolicy %s', (internalTrafficPolicy) => {
      expect(importOf(first({ internalTrafficPolicy }))?.spec).toMatchObject({ internalTrafficPolicy })
    })

    it.each(['PreferClose', 'PreferSameZone', 'PreferSameNode'])(
      'has its trafficDistribution %s',
      (trafficDistribution) => {
        expect(importOf(first({ trafficDistribution }))?.spec).toMatchObject({ trafficDistribution })
      },
    )

    it('has its ports', () => {
      expect(importOf(first())?.spec.ports).toEqual([TCP, UDP])
    })

    it('has the ports of both clusters, and Conflict on both', () => {
      const stcp = { name: 'stcp', protocol: 'SCTP', port: 142 }
      const merge = mergeExports([first(), second({ ports: [TCP, stcp] })])
      expect(merge.merged?.spec.ports).toEqual([TCP, UDP, stcp])
      expectConflicts(merge, 'True')
    })

    it('has the ports of the older export where a number differs, and Conflict on both', () => {
      const merge = mergeExports([first(), second({ ports: [{ ...TCP, port: 43 }] })])
      expect(merge.merged?.spec.ports).toEqual([TCP, UDP])
      expectConflicts(merge, 'True')
    })

    it('has no conflict where both clusters export the same', () => {
      expectConflicts(mergeExports([first(), second()]), 'False')
    })
  })

  describe('of a headless Service', () => {
    it('has an import of type Headless, which goes with the export', () => {
      expect(importOf(first({ clusterIP: 'None' }))?.spec.type).toBe('Headless')
      expect(importOf()).toBeUndefined()
    })

    it('has no address of the cluster set', () => {
      expect(importOf(first({ clusterIP: 'None' }))?.spec).not.toHaveProperty('ips')
    })
  })

  it('has Valid False of an ExternalName, and no import', () => {
    const merge = mergeExports([first({ type: 'ExternalName', externalName: 'example.com' })])
    expect(wantedConditionOf(merge, 'one', 'Valid')?.status).toBe('False')
    expect(merge.merged).toBeUndefined()
  })

  it('has the older type where one is headless and one is not, and Conflict on both', () => {
    const merge = mergeExports([second({ clusterIP: 'None' }), first()])
    expect(merge.merged?.spec.type).toBe('ClusterSetIP')
    expectConflicts(merge, 'True')
  })
})
