import fc from 'fast-check'
import type { ClusterExport } from '../index.ts'
import { anExport, type ServiceSpec } from './merge-exports.fixtures.ts'

export const CLUSTERS = ['ap', 'eu', 'sa', 'us', 'za']

/** So few names and numbers that they collide. */
const portArbitrary = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  port: fc.integer({ min: 1, max: 4 }),
  protocol: fc.constantFrom('TCP', 'UDP'),
  appProtocol: fc.constantFrom(undefined, 'http'),
})

const portsArbitrary = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.uniqueArray(portArbitrary, {
      maxLength: 4,
      comparator: (a, b) => a.name === b.name || (a.port === b.port && a.protocol === b.protocol),
    }),
  },
  { weight: 1, arbitrary: fc.constant([{ port: 80, protocol: 'TCP' }]) },
)

const serviceArbitrary: fc.Arbitrary<ServiceSpec> = fc.record({
  type: fc.constantFrom('ClusterIP', 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
  clusterIP: fc.constantFrom('10.96.0.7', '10.96.0.8', 'None'),
  ipFamilies: fc.constantFrom(['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4']),
  sessionAffinity: fc.constantFrom('None', 'ClientIP'),
  sessionAffinityConfig: fc.constantFrom({ clientIP: { timeoutSeconds: 10 } }, { clientIP: {} }, {}),
  internalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
  trafficDistribution: fc.constantFrom('PreferClose', 'PreferSameNode'),
  ports: portsArbitrary,
}) as fc.Arbitrary<ServiceSpec>

const mapArbitrary = fc.dictionary(fc.constantFrom('team', 'tier'), fc.constantFrom('x', 'y'))

/** Generates exports of `shop/web`, some of them not valid; few minutes, so that some are equally old. */
export const exportOf = (cluster: string): fc.Arbitrary<ClusterExport> =>
  fc
    .record({
      minute: fc.integer({ min: 0, max: 3 }),
      service: fc.oneof(
        { weight: 9, arbitrary: serviceArbitrary },
        { weight: 1, arbitrary: fc.constant('none' as const) },
      ),
      annotations: fc.constantFrom<Record<string, string>>(
        {},
        { 'sliceflow.dev/fleet-policy': '{"prefer":"own"}' },
        { 'sliceflow.dev/fleet-policy': '{"weights":{"eu":50}}' },
        { 'sliceflow.dev/fleet-policy': 'own' },
      ),
      spec: fc.record({ exportedLabels: mapArbitrary, exportedAnnotations: mapArbitrary }),
    })
    .map((parts) => anExport(cluster, parts))

/** Exports of some of the clusters, in any order. */
export const exportsArbitrary: fc.Arbitrary<ClusterExport[]> = fc
  .shuffledSubarray(CLUSTERS, { minLength: 1 })
  .chain((clusters) => fc.tuple(...clusters.map(exportOf)))
