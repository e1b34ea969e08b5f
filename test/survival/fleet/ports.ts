import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { type SceneMember, untilImported } from '../../end-to-end/fleet/fleet-scene.ts'
import { until } from '../../end-to-end/scene.ts'
import type { FleetRow } from './row.ts'

/** Formats each endpoint with each of its ports, as `first/10.1.0.1 web:8080`. */
async function portsIn(member: SceneMember): Promise<string[]> {
  const slices = await member.slices()
  return slices
    .flatMap(({ metadata, endpoints, ports }) =>
      (endpoints ?? []).flatMap(({ addresses }) =>
        (ports ?? []).map(
          ({ name, port }) =>
            `${metadata?.labels?.['multicluster.kubernetes.io/source-cluster']}/${addresses[0]} ${name}:${port}`,
        ),
      ),
    )
    .sort()
}

const untilPorts = (members: readonly SceneMember[], expected: readonly string[]) =>
  until(() => Promise.all(members.map(portsIn))).toEqual(members.map(() => expected))

/** Ports, types and labels of what is imported. */
export const PORTS: readonly FleetRow[] = [
  {
    id: 'target-port-lost',
    source: 'cilium/cilium#36735',
    says: 'A target port is a name that old and new pods give another number: both numbers arrive, each with its pods.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService({ ports: [{ name: 'web', port: 80, protocol: 'TCP', targetPort: 'http' }] })
      for (const [name, port, address] of [
        ['old', 8080, '10.1.0.1'],
        ['new', 9090, '10.1.0.2'],
      ] as const) {
        const slice: EndpointSlice = {
          metadata: { name, namespace: scene.namespace, labels: { 'kubernetes.io/service-name': 'hello' } },
          addressType: 'IPv4',
          ports: [{ name: 'web', port, protocol: 'TCP' }],
          endpoints: [{ addresses: [address] }],
        }
        await first.client.create(ENDPOINT_SLICES, slice)
      }
      await first.addExport()
      await untilPorts(scene.members, ['first/10.1.0.1 web:8080', 'first/10.1.0.2 web:9090'])
    },
  },
  {
    id: 'headless-and-back',
    source: 'cilium/cilium#45396',
    says: 'A Service is made anew as a headless one, and as one with an IP again: imports and derived Services follow both times.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1'])
      for (const [spec, type] of [
        [{ clusterIP: 'None' }, 'Headless'],
        [{}, 'ClusterSetIP'],
      ] as const) {
        await first.removeService()
        await first.addService(spec)
        for (const member of scene.members) {
          await until(async () => (await member.imported())?.spec?.type).toBe(type)
          await until(async () => (await member.derived()) === undefined).toBe(type === 'Headless')
        }
        await untilImported(scene.members, ['first/10.1.0.1'])
      }
    },
  },
]
