import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mutated } from '../endpointslice/malformed.fixtures.ts'
import { ApiError, type ApiObject, ENDPOINT_SLICES, type Resource, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { type ClusterExport, mergeExports, type ServiceExport } from './index.ts'
import { anExport, type ServiceSpec, wantedConditionOf } from './merging/merge-exports.fixtures.ts'
import { addressesIn, conditionsOf, EXPORTS, openFleetOf, sourceSlice } from './reconcile-fleet.fixtures.ts'

const whatIsSaid = (sent: ClusterExport): string | undefined =>
  wantedConditionOf(mergeExports([sent]), sent.cluster, 'Valid')?.message

const withPorts = (ports: unknown): ClusterExport =>
  anExport('eu', { service: { ports } as unknown as ServiceSpec })
const withLabels = (exportedLabels: unknown): ClusterExport =>
  anExport('eu', { spec: { exportedLabels } as ServiceExport['spec'] })

describe('what a cluster lies about', () => {
  it('costs the ports that cannot be read, and their faults are reported', () => {
    const ports = [
      { name: 'http', port: 80 },
      { name: 'http', port: 81 },
      { name: 'Upper', port: 82 },
      { name: 'b', port: 0 },
      { name: 'c', port: 83, protocol: 'QUIC' },
      null,
      { name: 'd' },
    ]
    expect(mergeExports([withPorts(ports)]).merged?.spec.ports).toEqual([
      { name: 'http', protocol: 'TCP', port: 80 },
    ])
    expect(whatIsSaid(withPorts(ports))).toBe(
      `Left out: ${[
        'spec.ports[1], as its name is taken',
        'spec.ports[2].name is not a DNS label',
        'spec.ports[3].port is not a number from 1 to 65535',
        'spec.ports[4].protocol is not one of TCP, UDP, SCTP',
        'spec.ports[5] is not an object and 1 more',
      ].join('; ')}.`,
    )
  })

  it('costs a port its appProtocol where that alone cannot be read', () => {
    const sent = withPorts([{ name: 'http', port: 80, appProtocol: 'no/such/thing' }])
    expect(mergeExports([sent]).merged?.spec.ports).toEqual([{ name: 'http', protocol: 'TCP', port: 80 }])
    expect(whatIsSaid(sent)).toContain('spec.ports[0].appProtocol is not of the form')
  })

  it('gives at most 100 ports, of one cluster and of all together', () => {
    const many = (cluster: string, first: number, count: number) =>
      anExport(cluster, {
        service: {
          ports: Array.from({ length: count }, (_, i) => ({ name: `p-${first + i}`, port: first + i })),
        },
      })
    expect(mergeExports([many('eu', 1, 10_000)]).merged?.spec.ports).toHaveLength(100)
    expect(whatIsSaid(many('eu', 1, 10_000))).toBe('Left out: spec.ports after the first 100.')
    const merge = mergeExports([many('eu', 1, 60), many('us', 61, 60)])
    expect(merge.merged?.spec.ports.map(({ port }) => port)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    expect(wantedConditionOf(merge, 'eu', 'Conflict')?.message).toContain(
      'p-101 101/TCP of us (there are 100 ports already)',
    )
  })

  it('costs labels that no object can have, and those that are not for an export to set', () => {
    const labels = {
      team: 'core',
      'a b': 'x',
      long: 'x'.repeat(64),
      number: 7,
      'sliceflow.dev/cluster-set': 'other',
      'multicluster.kubernetes.io/source-cluster': 'us',
    }
    expect(mergeExports([withLabels(labels)]).merged?.labels).toEqual({ team: 'core' })
    expect(whatIsSaid(withLabels(labels))).toBe(
      `Left out: ${[
        'spec.exportedLabels["a b"] is not a valid key',
        'spec.exportedLabels["long"] is not a valid label value',
        'spec.exportedLabels["number"] is not a string',
        'spec.exportedLabels["sliceflow.dev/cluster-set"] is for importing clusters to set',
        'spec.exportedLabels["multicluster.kubernetes.io/source-cluster"] is for importing clusters to set',
      ].join('; ')}.`,
    )
  })

  it('costs maps of labels and annotations that are huge', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`l-${index}`, 'x']))
    const large = anExport('eu', { spec: { exportedAnnotations: { note: 'x'.repeat(65_536) } } })
    expect(mergeExports([withLabels(many)]).merged?.labels).toEqual({})
    expect(whatIsSaid(withLabels(many))).toContain('all of spec.exportedLabels')
    expect(mergeExports([large]).merged?.annotations).toEqual({})
    expect(whatIsSaid(large)).toContain('all of spec.exportedAnnotations')
  })

  it('allows annotations that are no labels', () => {
    const exportedAnnotations = { 'Example.com/note': 'any text: {"a": 1}', __proto__x: 'y' }
    const { merged } = mergeExports([anExport('eu', { spec: { exportedAnnotations } })])
    expect(merged?.annotations).toEqual({ 'Example.com/note': 'any text: {"a": 1}' })
  })

  it('does not reach the prototype of anything', () => {
    const hostile = JSON.parse('{"__proto__": "x", "constructor": "y", "toString": "z"}')
    const { merged } = mergeExports([withLabels(hostile)])
    expect(Object.entries(merged?.labels ?? {})).toEqual([
      ['constructor', 'y'],
      ['toString', 'z'],
    ])
    expect(Object.getPrototypeOf(merged?.labels)).toBe(Object.prototype)
  })

  it('never throws, and leaves the other exports and the size of messages as they should be', () => {
    const sound = anExport('us', {
      service: {
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
        ipFamilies: ['IPv4', 'IPv6'],
        trafficDistribution: 'PreferClose',
      },
      spec: { exportedLabels: { team: 'core' }, exportedAnnotations: { note: 'x' } },
    })
    const lie = fc.record({
      cluster: fc.constant('ap'),
      export: mutated(sound.export),
      service: mutated(sound.service),
    })
    fc.assert(
      fc.property(lie, (sent) => {
        const merge = mergeExports([sent, sound])
        expect(merge.merged?.clusters).toContain('us')
        expect([...merge.wantedConditions.keys()]).toEqual(['ap', 'us'])
        expect(wantedConditionOf(merge, 'us', 'Valid')).toMatchObject({
          status: 'True',
          message: expect.any(String),
        })
        for (const wantedCondition of [...merge.wantedConditions.values()].flat()) {
          expect(wantedCondition.message.length).toBeLessThan(4096)
          expect(wantedCondition.reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
        }
        expect(() => JSON.stringify(merge.merged)).not.toThrow()
      }),
      { numRuns: 400 },
    )
  })

  it('costs no other cluster its import or its status, also while one cannot be read', async () => {
    const metadata = { name: 'web', namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' }
    const spec = { ipFamilies: ['IPv4'], clusterIP: '10.0.0.1', ports: [{ name: 'http', port: 80 }] }
    const condition = { type: 'Conflict', status: 'True', reason: 'x', message: 'y', lastTransitionTime: '' }
    const { metadata: ofSlice, ...slice } = sourceSlice('10.2.0.1')
    const lieOf = <T extends ApiObject>(resource: Resource<T>, object: object, of: object = metadata) =>
      mutated(object).map(
        (lie) => (liar: MemoryCluster) => liar.put(resource, { ...Object(lie), metadata: of }),
      )
    const lies = fc.oneof(
      lieOf(SERVICES, { spec }),
      lieOf(EXPORTS, { spec: {}, status: { conditions: [condition] } }),
      lieOf(ENDPOINT_SLICES, slice, ofSlice),
    )
    await fc.assert(
      fc.asyncProperty(lies, async (lie) => {
        const { clusters, handle } = openFleetOf(['eu', 'liar', 'away'], {}, {})
        await handle()
        lie(clusters.liar)
        clusters.away.before = () => {
          throw new ApiError('read', 503, {})
        }
        clusters.eu.put(ENDPOINT_SLICES, sourceSlice('10.1.0.9'))
        await expect(handle()).rejects.toThrow('up to date in away;')
        expect(addressesIn(clusters.liar)).toContain('10.1.0.9')
        expect(addressesIn(clusters.eu)).toContain('10.3.0.1')
        expect(conditionsOf(clusters.eu)).toContainEqual(
          expect.objectContaining({ type: 'Ready', status: 'False' }),
        )
      }),
      { numRuns: 60 },
    )
  })
})
