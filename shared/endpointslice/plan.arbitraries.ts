import fc from 'fast-check'
import { aNode, NAMESPACE, SERVICE_UID } from './plan.fixtures.ts'
import type { Node, Pod, Service } from './types.ts'

const ZONES = ['zone-a', 'zone-b', 'zone-c']
/** Nodes in three zones; pods may also be on a seventh, which does not exist. */
export const NODES: readonly Node[] = Array.from({ length: 6 }, (_, index) =>
  aNode(`node-${index}`, ZONES[index % ZONES.length], index % 2 === 0 ? '4' : '3920m'),
)

/** Services `shop/web` of all kinds. */
export const serviceArbitrary = fc
  .record({
    ipFamilies: fc.constantFrom<string[][]>([], ['IPv4'], ['IPv6'], ['IPv4', 'IPv6']),
    clusterIP: fc.constantFrom('None', '10.96.0.7', 'fd00:96::7'),
    publishNotReadyAddresses: fc.boolean(),
    trafficDistribution: fc.constantFrom(undefined, 'PreferClose', 'PreferSameNode'),
    mode: fc.constantFrom('Disabled', 'Disabled', 'Auto'),
    labels: fc.constantFrom<Record<string, string>[]>(
      {},
      { team: 'core' },
      { team: 'other', 'kubernetes.io/service-name': 'x' },
    ),
  })
  .map(
    ({ mode, labels, ...spec }): Service => ({
      metadata: {
        name: 'web',
        namespace: NAMESPACE,
        uid: SERVICE_UID,
        labels,
        annotations: { 'service.kubernetes.io/topology-mode': mode },
      },
      spec: {
        ...spec,
        ports: [
          { name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' },
          { name: 'raw', port: 81, protocol: 'TCP', targetPort: 9000 },
        ],
      },
    }),
  )

export const podArbitrary = fc.record({
  node: fc.integer({ min: 0, max: 6 }),
  ready: fc.boolean(),
  terminating: fc.boolean(),
  phase: fc.constantFrom('Running', 'Running', 'Running', 'Failed'),
  families: fc.constantFrom('4', '6', '46', ''),
  httpPort: fc.constantFrom(8080, 8080, 9090, undefined),
  hostname: fc.boolean(),
})
export type PodFlags = typeof podArbitrary extends fc.Arbitrary<infer T> ? T : never

/** Makes the pod `p-INDEX`. */
export function podOf(flags: PodFlags, index: number): Pod {
  const ips = [...flags.families].map((family) => ({
    ip: family === '4' ? `10.1.0.${index}` : `fd00:1::${index}`,
  }))
  const ports = flags.httpPort === undefined ? [] : [{ name: 'http', containerPort: flags.httpPort }]
  return {
    metadata: {
      name: `p-${index}`,
      namespace: NAMESPACE,
      uid: `uid-${index}`,
      ...(flags.terminating && { deletionTimestamp: '2026-03-01T12:00:00Z' }),
    },
    spec: {
      nodeName: `node-${flags.node}`,
      containers: [{ name: 'app', ports }],
      ...(flags.hostname && { hostname: `h-${index}`, subdomain: 'web' }),
    },
    status: {
      phase: flags.phase,
      podIPs: ips,
      conditions: [{ type: 'Ready', status: flags.ready ? 'True' : 'False' }],
    },
  }
}

export const podsArbitrary = fc.array(podArbitrary, { maxLength: 40 }).map((all) => all.map(podOf))
