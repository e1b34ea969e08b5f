import * as fc from 'fast-check'
import {
  ANNOTATION_TOPOLOGY_HINTS,
  ANNOTATION_TOPOLOGY_MODE,
  LABEL_HEADLESS,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Service,
  type ServicePort,
} from '../../../index.ts'

export const NAMESPACE = 'shop'
export const SERVICE_UID = 'uid-web'

type Spec = NonNullable<Service['spec']>

/** Makes a value that is there one time in `n`, for all that depend on how often something is so. */
export const rarely = <T>(n: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: n - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const FAMILIES: readonly Partial<Spec>[] = [
  { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'] },
  { clusterIP: 'fd00::7', ipFamilies: ['IPv6'] },
  { clusterIP: '10.96.0.7', ipFamilies: ['IPv4', 'IPv6'] },
  { clusterIP: 'None', ipFamilies: ['IPv4'] },
  { clusterIP: 'None', ipFamilies: ['IPv6', 'IPv4'] },
  // From before dual stack: the families follow from the cluster IP.
  { clusterIP: '10.96.0.7' },
  { clusterIP: 'fd00::7' },
  { clusterIP: 'None' },
  {},
]

const PORTS: readonly ServicePort[] = [
  { name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' },
  { name: 'metrics', port: 9090, protocol: 'TCP', targetPort: 9090 },
  { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
  { name: 'admin', port: 8443, protocol: 'TCP', targetPort: 'admin', appProtocol: 'https' },
  { name: 'odd', port: 7, protocol: 'SCTP', targetPort: 'http', appProtocol: 'example.org/odd' },
]
const SINGLE_PORT: ServicePort = { name: '', port: 80, protocol: 'TCP', targetPort: 'http' }

const ports: fc.Arbitrary<readonly ServicePort[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([SINGLE_PORT]) },
  { weight: 6, arbitrary: fc.subarray([...PORTS], { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant([]) },
)

const labels = fc.dictionary(
  fc.constantFrom('app', 'team', 'tier', LABEL_MANAGED_BY, LABEL_SERVICE_NAME, LABEL_HEADLESS),
  fc.constantFrom('web', '', 'core', 'b'),
  { maxKeys: 3, noNullPrototype: true },
)

const topologyMode = fc.constantFrom('Auto', 'auto', 'Auto', 'Auto', 'Disabled', '')
const annotations = fc.record(
  { [ANNOTATION_TOPOLOGY_MODE]: topologyMode, [ANNOTATION_TOPOLOGY_HINTS]: topologyMode },
  { requiredKeys: [], noNullPrototype: true },
)

const spec = fc.record({
  families: fc.constantFrom(...FAMILIES),
  ports,
  publishNotReadyAddresses: rarely(5, fc.constant(true)),
  trafficDistribution: rarely(
    3,
    fc.constantFrom('PreferClose', 'PreferSameZone', 'PreferSameNode', 'PreferFar'),
  ),
})

/** Services as an API server has filled them in, and a few from before it knew families. */
export const services: fc.Arbitrary<Service> = fc
  .record({
    name: fc.oneof(
      { weight: 9, arbitrary: fc.constant('web') },
      // With the first no dash fits, the second is no DNS subdomain.
      { weight: 1, arbitrary: fc.constantFrom('w'.repeat(253), 'Web_1') },
    ),
    labels: rarely(2, labels),
    annotations: rarely(3, annotations),
    deletionTimestamp: rarely(25, fc.constant('2026-03-01T11:00:00Z')),
    spec,
  })
  .map(({ name, spec: { families, ports, ...spec }, ...metadata }) => ({
    metadata: { name, namespace: NAMESPACE, uid: SERVICE_UID, ...present(metadata) },
    spec: { selector: { app: 'web' }, ...families, ...present(spec), ports: [...ports] },
  }))

/** Returns the object without members that are undefined. */
export function present<T extends object>(object: T): Partial<{ [Key in keyof T]: NonNullable<T[Key]> }> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<{
    [Key in keyof T]: NonNullable<T[Key]>
  }>
}
