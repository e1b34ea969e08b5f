import { expect } from 'vitest'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { derivedServiceName } from '../../../shared/fleet/index.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
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

const tcp = (name: string, port: number, targetPort: number | string) => ({
  name,
  port,
  protocol: 'TCP',
  targetPort,
})

/** Ports, duplicates and conflicts. */
export const PORTS: readonly FleetRow[] = [
  {
    id: 'wrong-port',
    source: 'cilium/cilium#43251',
    says: 'Two clusters have their pods listen on different ports behind the same Service port: each endpoint keeps its own.',
    async play({ scene, first, second }) {
      await scene.start()
      await first.addService({ ports: [tcp('web', 80, 8080), tcp('admin', 90, 9090)] }, ['10.1.0.1'])
      await first.addExport()
      await second.addService({ ports: [tcp('web', 80, 3000), tcp('admin', 90, 3001)] }, ['10.2.0.1'])
      await second.addExport()
      await untilPorts(scene.members, [
        'first/10.1.0.1 admin:9090',
        'first/10.1.0.1 web:8080',
        'second/10.2.0.1 admin:3001',
        'second/10.2.0.1 web:3000',
      ])
    },
  },
  {
    id: 'target-port-lost',
    source: 'cilium/cilium#36735',
    says: 'A target port is a name that old and new pods give another number: both numbers arrive, each with its pods.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService({ ports: [tcp('web', 80, 'http')] })
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
    id: 'port-names-differ',
    source: 'clusternet/clusternet#508',
    says: 'Two clusters name their ports otherwise: both are imported, and each leads to the pods of its cluster only.',
    async play({ scene, first, second }) {
      await scene.start()
      await first.addService({ ports: [tcp('web', 80, 8080)] }, ['10.1.0.1'])
      await first.addExport()
      await second.addService({ ports: [tcp('http', 8000, 8080)] }, ['10.2.0.1'])
      await second.addExport()
      await untilPorts(scene.members, ['first/10.1.0.1 web:8080', 'second/10.2.0.1 http:8080'])
      for (const member of scene.members)
        await until(async () =>
          (await member.derived())?.spec?.ports?.map(({ name }) => name).sort(),
        ).toEqual(['http', 'web'])
    },
  },
  {
    id: 'duplicates',
    source: 'submariner-io/lighthouse#1646, karmada-io/karmada#6522',
    says: 'An address stands in two slices of its cluster while it moves between them: it is imported once.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService({ ports: [tcp('web', 80, 8080)] }, ['10.1.0.1', '10.1.0.2'])
      await first.client.create(ENDPOINT_SLICES, {
        metadata: {
          name: 'moved',
          namespace: scene.namespace,
          labels: { 'kubernetes.io/service-name': 'hello' },
        },
        addressType: 'IPv4',
        ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
        endpoints: [{ addresses: ['10.1.0.2'], conditions: { ready: true } }],
      })
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1', 'first/10.1.0.2'])
    },
  },
  {
    id: 'conflict-on-one-side',
    source: 'submariner-io/lighthouse#1831, #1439',
    says: 'Exports differ: every one of them says so, with the same reason; when the losing side has changed, none does any longer.',
    async play({ scene, first, second }) {
      await scene.start()
      await first.addService({ sessionAffinity: 'ClientIP' }, ['10.1.0.1'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1'])
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      await second.addService({}, ['10.2.0.1'])
      await second.addExport()
      for (const member of [first, second])
        await until(() => member.conditions()).toMatchObject({
          Conflict: expect.stringMatching(/^True SessionAffinityConflict/),
        })
      await second.patchService({ spec: { sessionAffinity: 'ClientIP' } })
      for (const member of [first, second])
        await until(() => member.conditions()).toMatchObject({ Conflict: 'False NoConflicts' })
    },
  },
  {
    id: 'none-is-no-address',
    source: 'cilium/cilium#37053',
    says: 'A headless Service is exported: its imports have no IPs, not "None" and none later on.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService({ clusterIP: 'None' }, ['10.1.0.1'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1'])
      for (const member of scene.members) {
        expect((await member.imported())?.spec).toMatchObject({ type: 'Headless' })
        expect((await member.imported())?.spec?.ips ?? []).toEqual([])
        expect(await member.derived()).toBeUndefined()
      }
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
  {
    id: 'host-names',
    source: 'submariner-io/lighthouse#1507',
    says: 'Pods of a StatefulSet have the same host names in two clusters: both keep theirs, apart by their source cluster.',
    async play({ scene, first, second }) {
      await scene.start()
      for (const [member, address] of [
        [first, '10.1.0.1'],
        [second, '10.2.0.1'],
      ] as const) {
        await member.addService({ clusterIP: 'None' })
        await member.publish([{ addresses: [address], hostname: 'db-0', conditions: { ready: true } }])
        await member.addExport()
      }
      await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
      for (const member of scene.members)
        expect(
          (await member.slices()).flatMap(({ endpoints }) => endpoints?.map(({ hostname }) => hostname)),
        ).toEqual(['db-0', 'db-0'])
    },
  },
  {
    id: 'no-selector',
    source: 'submariner-io/lighthouse#603',
    says: 'A Service without a selector, whose slice somebody wrote by hand, is imported as any other.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService({ ports: [tcp('web', 80, 8080)] })
      await first.client.create(ENDPOINT_SLICES, {
        metadata: {
          name: 'by-hand',
          namespace: scene.namespace,
          labels: { 'kubernetes.io/service-name': 'hello' },
        },
        addressType: 'IPv4',
        ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
        endpoints: [{ addresses: ['192.0.2.7'] }],
      })
      await first.addExport()
      await untilImported(scene.members, ['first/192.0.2.7'])
    },
  },
  {
    id: 'name-taken',
    source: 'karmada-io/karmada#2384, #4515',
    says: 'Somebody has a Service of the derived name in one cluster: it is not touched, the export says so, and the other clusters import.',
    async play({ scene, first, third }) {
      const name = derivedServiceName(scene.namespace, 'hello')
      const theirs = await third.client.create(SERVICES, {
        metadata: { name, namespace: scene.namespace },
        spec: { ports: [{ port: 1 }] },
      })
      await scene.start()
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await untilImported(
        scene.members.filter((member) => member !== third),
        ['first/10.1.0.1'],
      )
      await until(() => first.conditions()).toMatchObject({ Ready: 'False Failed' })
      expect((await third.derived())?.metadata?.resourceVersion).toBe(theirs.metadata?.resourceVersion)
    },
  },
  {
    id: 'labels-of-consumers',
    source: 'envoyproxy/gateway#1908',
    says: 'Slices have the labels that gateways and DNS look for, and never the name of the local Service, whose clients would get them.',
    async play({ scene, first, second }) {
      await scene.start()
      await second.addService({}, ['10.2.0.9'])
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1'])
      for (const member of scene.members) {
        for (const { metadata } of await member.slices())
          expect(metadata?.labels).toMatchObject({
            'kubernetes.io/service-name': derivedServiceName(scene.namespace, 'hello'),
            'multicluster.kubernetes.io/service-name': 'hello',
            'multicluster.kubernetes.io/source-cluster': 'first',
          })
        expect((await member.imported())?.metadata?.annotations).toMatchObject({
          'multicluster.kubernetes.io/derived-service': derivedServiceName(scene.namespace, 'hello'),
        })
      }
      const local = { namespace: scene.namespace, labelSelector: 'kubernetes.io/service-name=hello' }
      const { items } = await second.client.list(ENDPOINT_SLICES, local)
      expect(items.flatMap(({ endpoints }) => endpoints?.flatMap(({ addresses }) => addresses))).toEqual([
        '10.2.0.9',
      ])
    },
  },
]
