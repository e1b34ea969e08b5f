import { describe, expect, it } from 'vitest'
import { mergeExports, type ServiceExport } from '../index.ts'
import {
  anExport,
  aService,
  conflictOf,
  type ServiceSpec,
  wantedConditionOf,
} from './merge-exports.fixtures.ts'

const merged = (...exports: Parameters<typeof mergeExports>[0]) => mergeExports(exports).merged

describe('the validity of an export', () => {
  it('is given with a Service of type ClusterIP, NodePort, LoadBalancer, or of none', () => {
    for (const type of ['ClusterIP', 'NodePort', 'LoadBalancer', undefined]) {
      const merge = mergeExports([anExport('eu', { service: { type } as ServiceSpec })])
      expect(merge.merged).toMatchObject({ spec: { type: 'ClusterSetIP' }, clusters: ['eu'] })
      expect(wantedConditionOf(merge, 'eu', 'Valid')).toMatchObject({ status: 'True', reason: 'Valid' })
    }
  })

  it('is refused without a Service, and nothing is said of conflicts then', () => {
    const merge = mergeExports([anExport('eu', { service: 'none' })])
    expect(merge.merged).toBeUndefined()
    expect(merge.wantedConditions.get('eu')).toEqual([
      {
        type: 'Valid',
        status: 'False',
        reason: 'NoService',
        message: 'There is no Service of this name in the namespace.',
      },
    ])
  })

  it('is refused to an ExternalName, which leaves the other exports as they are', () => {
    const merge = mergeExports([
      anExport('eu', { service: { type: 'ExternalName', externalName: 'example.com' } }),
      anExport('us', { minute: 1 }),
    ])
    expect(wantedConditionOf(merge, 'eu', 'Valid')).toMatchObject({
      status: 'False',
      reason: 'InvalidServiceType',
    })
    expect(merge.merged?.clusters).toEqual(['us'])
    expect(wantedConditionOf(merge, 'us', 'Conflict')).toMatchObject({
      status: 'False',
      reason: 'NoConflicts',
    })
  })

  it('is refused to a derived Service, whose endpoints are of other exports', () => {
    const derived = aService()
    const labels = {
      'multicluster.kubernetes.io/service-name': 'web',
      'sliceflow.dev/cluster-set': 'default',
    }
    const merge = mergeExports([
      { ...anExport('eu'), service: { ...derived, metadata: { ...derived.metadata, labels } } },
    ])
    expect(wantedConditionOf(merge, 'eu', 'Valid')).toMatchObject({ reason: 'InvalidServiceType' })
  })

  it('ends when the ServiceExport is being deleted, whoever keeps it by a finalizer', () => {
    const ending = anExport('eu')
    const metadata = { ...ending.export.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' }
    const merge = mergeExports([{ ...ending, export: { metadata } }, anExport('us')])
    expect(merge.merged?.clusters).toEqual(['us'])
    expect(wantedConditionOf(merge, 'eu', 'Valid')).toMatchObject({ status: 'False', reason: 'Terminating' })
  })
})

describe('the oldest export', () => {
  const spec = (value: string): ServiceExport['spec'] => ({
    exportedLabels: { team: value },
    exportedAnnotations: { 'example.com/owner': value },
  })
  const older = anExport('us', {
    minute: 1,
    service: {
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
      internalTrafficPolicy: 'Local',
      trafficDistribution: 'PreferSameZone',
    },
    spec: spec('core'),
  })
  const younger = anExport('eu', { minute: 2, service: { clusterIP: 'None' }, spec: spec('edge') })

  it('gives its type, affinity, policies, labels and annotations, and the others nothing', () => {
    expect(merged(younger, older)).toEqual({
      spec: {
        type: 'ClusterSetIP',
        ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
        internalTrafficPolicy: 'Local',
        trafficDistribution: 'PreferSameZone',
      },
      labels: { team: 'core' },
      annotations: { 'example.com/owner': 'core' },
      clusters: ['us', 'eu'],
    })
  })

  it('gives none of the labels and annotations of its Service, and without an export there is no import', () => {
    const service = aService()
    const metadata = { ...service.metadata, labels: { own: 'x' }, annotations: { own: 'x' } }
    const own = { ...anExport('eu', { spec: spec('core') }), service: { ...service, metadata } }
    expect(merged(own)).toMatchObject({
      labels: { team: 'core' },
      annotations: { 'example.com/owner': 'core' },
    })
    expect(Object.keys(merged(own)?.labels ?? {})).toEqual(['team'])
    expect(Object.keys(merged(own)?.annotations ?? {})).toEqual(['example.com/owner'])
    expect(merged()).toBeUndefined()
  })

  it('is that of the cluster whose id comes first where they are equally old', () => {
    const headless = anExport('ap', { service: { clusterIP: 'None' } })
    expect(merged(anExport('eu'), headless)).toMatchObject({
      spec: { type: 'Headless' },
      clusters: ['ap', 'eu'],
    })
  })

  it('is found by the time, in whatever time zone it is written', () => {
    const inZone = anExport('eu')
    const metadata = { ...inZone.export.metadata, creationTimestamp: '2026-01-01T01:00:30+01:00' }
    expect(merged({ ...inZone, export: { metadata } }, anExport('us', { minute: 1 }))?.clusters).toEqual([
      'eu',
      'us',
    ])
  })

  it('is never the one that does not say when it was made', () => {
    const timeless = anExport('ap')
    const merge = mergeExports([
      { ...timeless, export: { metadata: { name: 'web', namespace: 'shop' } } },
      anExport('eu', { minute: 999 }),
    ])
    expect(merge.merged?.clusters).toEqual(['eu', 'ap'])
    expect(wantedConditionOf(merge, 'ap', 'Valid')?.message).toContain('creationTimestamp')
  })

  it('and every conflict stands on all the others, in a fixed order of reasons', () => {
    expect(conflictOf([younger, older])).toEqual({
      type: 'Conflict',
      status: 'True',
      reason: [
        'TypeConflict',
        'SessionAffinityConflict',
        'SessionAffinityConfigConflict',
        'LabelsConflict',
        'AnnotationsConflict',
        'InternalTrafficPolicyConflict',
        'TrafficDistributionConflict',
      ].join(),
      message: [
        'type: ClusterSetIP of us, the oldest export; 1 of 2 clusters differs (eu).',
        'sessionAffinity: ClientIP of us, the oldest export; 1 of 2 clusters differs (eu).',
        'sessionAffinityConfig.clientIP.timeoutSeconds: 10 of us, the oldest export; 1 of 2 clusters differs (eu).',
        'exportedLabels: those of us, the oldest export; 1 of 2 clusters differs (eu).',
        'exportedAnnotations: those of us, the oldest export; 1 of 2 clusters differs (eu).',
        'internalTrafficPolicy: Local of us, the oldest export; 1 of 2 clusters differs (eu).',
        'trafficDistribution: PreferSameZone of us, the oldest export; 1 of 2 clusters differs (eu).',
      ].join(' '),
    })
  })

  it('has no conflict with what an API server makes of fields that are not set', () => {
    const bare = anExport('eu', {
      minute: 1,
      service: {
        ports: [{ name: 'http', port: 80 }],
        sessionAffinity: undefined,
        internalTrafficPolicy: undefined,
      } as unknown as ServiceSpec,
    })
    expect(conflictOf([anExport('us'), bare])).toMatchObject({ status: 'False', reason: 'NoConflicts' })
  })

  it('names a few of many clusters that differ, and counts them all', () => {
    const others = Array.from({ length: 9 }, (_, index) =>
      anExport(`x${index}`, { minute: 1, service: { clusterIP: 'None' } }),
    )
    expect(conflictOf([...others, anExport('eu')])?.message).toBe(
      'type: ClusterSetIP of eu, the oldest export; 9 of 10 clusters differ (x0, x1, x2, x3, x4 and 4 more).',
    )
  })
})

describe('ports', () => {
  const tcp = { name: 'tcp', protocol: 'TCP', port: 42 }
  const of = (cluster: string, minute: number, ports: ServiceSpec['ports']) =>
    anExport(cluster, { minute, service: { ports } })

  it('keep name, protocol and appProtocol, and have no target', () => {
    const service = {
      ports: [{ ...tcp, appProtocol: 'kubernetes.io/h2c', targetPort: 'http', nodePort: 30001 }],
    }
    expect(merged(anExport('eu', { service }))?.spec.ports).toEqual([
      { name: 'tcp', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c', port: 42 },
    ])
  })

  it('may be none', () => {
    expect(merged(anExport('eu', { service: { clusterIP: 'None', ports: undefined } }))?.spec.ports).toEqual(
      [],
    )
  })

  it('are put together, the oldest first, and are a conflict though they go together', () => {
    const exports = [of('us', 1, [{ ...tcp, name: 'b', port: 43 }, tcp]), of('eu', 0, [tcp])]
    expect(merged(...exports)?.spec.ports.map(({ name }) => name)).toEqual(['tcp', 'b'])
    expect(conflictOf(exports)).toMatchObject({
      reason: 'PortConflict',
      message: 'ports: those of eu, the oldest export, come first; 1 of 2 clusters differs (us).',
    })
  })

  it('in another order are the same', () => {
    const udp = { name: 'udp', protocol: 'UDP', port: 42 }
    expect(conflictOf([of('eu', 0, [tcp, udp]), of('us', 1, [udp, tcp])])?.reason).toBe('NoConflicts')
  })

  it('of which one has another appProtocol are a conflict, and the oldest has its', () => {
    const exports = [of('eu', 0, [tcp]), of('us', 1, [{ ...tcp, appProtocol: 'http' }])]
    expect(merged(...exports)?.spec.ports).toEqual([tcp])
    expect(conflictOf(exports)?.reason).toBe('PortConflict')
  })

  it('whose name or number an older export has are left out and reported', () => {
    const exports = [
      of('eu', 0, [tcp]),
      of('us', 1, [
        { ...tcp, port: 43 },
        { ...tcp, name: 'other' },
        { ...tcp, name: 'free', protocol: 'UDP' },
      ]),
    ]
    expect(merged(...exports)?.spec.ports).toEqual([tcp, { name: 'free', protocol: 'UDP', port: 42 }])
    expect(conflictOf(exports)?.message).toContain(
      'left out: tcp 43/TCP of us (its name is taken), other 42/TCP of us (its number is taken).',
    )
  })

  it('without a name are the only one, or left out', () => {
    const unnamed = { protocol: 'TCP', port: 80 }
    expect(merged(of('eu', 0, [unnamed]), of('us', 1, [tcp]))?.spec.ports).toEqual([unnamed])
    expect(merged(of('eu', 1, [unnamed]), of('us', 0, [tcp]))?.spec.ports).toEqual([tcp])
    expect(merged(of('eu', 0, [unnamed]), of('us', 1, [unnamed]))?.spec.ports).toEqual([unnamed])
    expect(conflictOf([of('eu', 0, [unnamed]), of('us', 1, [tcp])])?.message).toContain(
      'tcp 42/TCP of us (a port without a name must be the only one)',
    )
  })
})

describe('address families', () => {
  const of = (cluster: string, ipFamilies: string[]) => anExport(cluster, { service: { ipFamilies } })

  it('that all exports have are no conflict, in whatever order', () => {
    expect(conflictOf([of('eu', ['IPv4', 'IPv6']), of('us', ['IPv6', 'IPv4'])])?.reason).toBe('NoConflicts')
  })

  it('that some exports lack are a conflict, as clients of that family miss their endpoints', () => {
    expect(conflictOf([of('eu', ['IPv4', 'IPv6']), of('us', ['IPv4'])])).toMatchObject({
      reason: 'IPFamilyConflict',
      message: 'ipFamilies: IPv6 does not reach 1 of 2 clusters (us).',
    })
    expect(conflictOf([of('eu', ['IPv4']), of('us', ['IPv6'])])?.message).toBe(
      'ipFamilies: IPv4 does not reach 1 of 2 clusters (us), IPv6 does not reach 1 of 2 clusters (eu).',
    )
  })
})
