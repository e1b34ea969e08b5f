import { expect } from 'vitest'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { type SceneMember, untilImported } from '../../end-to-end/fleet/fleet-scene.ts'
import { until } from '../../end-to-end/scene.ts'
import type { FleetRow } from './row.ts'

/** Returns what is left of an import in a cluster. */
const leftIn = async (member: SceneMember) => ({
  import: await member.imported(),
  derived: await member.derived(),
  slices: (await member.slices()).length,
})
const NOTHING = { import: undefined, derived: undefined, slices: 0 }

const untilNothingIsLeft = (members: readonly SceneMember[]) =>
  until(() => Promise.all(members.map(leftIn))).toEqual(members.map(() => NOTHING))

/** Things that end, change or come again. */
export const ENDINGS: readonly FleetRow[] = [
  {
    id: 'unexported-while-down',
    source: 'cilium/cilium#37231, aws/aws-cloud-map-mcs-controller-for-k8s#140',
    says: 'Both exports of a Service are deleted while nobody looks: its imports, derived Services and slices go everywhere.',
    async play({ scene, first, second }) {
      const sliceflow = await scene.start()
      for (const [member, address] of [
        [first, '10.1.0.1'],
        [second, '10.2.0.1'],
      ] as const) {
        await member.addService({}, [address])
        await member.addExport()
      }
      await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
      await sliceflow.stop()
      await first.removeExport()
      await second.removeExport()
      await scene.start()
      await untilNothingIsLeft(scene.members)
    },
  },
  {
    id: 'recreated',
    source: 'submariner-io/lighthouse#645, #685',
    says: 'Service, slices and export are deleted and made anew with other ports and pods, as with their namespace: the new ones are imported.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1'])
      await first.removeExport()
      await first.removeService()
      await first.client.delete(ENDPOINT_SLICES, { namespace: scene.namespace, name: 'hello-source' })
      const ports = [{ name: 'web', port: 80, protocol: 'TCP', targetPort: 8080 }]
      await first.addService({ ports }, ['10.1.0.2'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.2'])
      for (const member of scene.members) {
        await until(async () => (await member.imported())?.spec?.ports).toMatchObject([
          { name: 'web', port: 80 },
        ])
        await until(async () => (await member.derived())?.spec?.ports).toMatchObject([
          { name: 'web', port: 80 },
        ])
      }
    },
  },
  {
    id: 'change-not-followed',
    source: 'aws/aws-cloud-map-mcs-controller-for-k8s#20, karmada-io/karmada#1993',
    says: 'Pods come, become unready and go, and a port is added to the Service: all of it arrives everywhere.',
    async play({ scene, first }) {
      await scene.start()
      const ports = [{ name: 'tcp', port: 42, protocol: 'TCP', targetPort: 8042 }]
      await first.addService({ ports }, ['10.1.0.1'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1'])
      await first.publish(['10.1.0.1', '10.1.0.2'])
      await untilImported(scene.members, ['first/10.1.0.1', 'first/10.1.0.2'])
      await first.publish([{ addresses: ['10.1.0.1'], conditions: { ready: false } }, '10.1.0.3'])
      await untilImported(scene.members, ['first/10.1.0.3'])
      await first.patchService({ spec: { ports: [...ports, { name: 'web', port: 80, targetPort: 8080 }] } })
      for (const member of scene.members)
        await until(async () =>
          (await member.derived())?.spec?.ports?.map(({ name }) => name).sort(),
        ).toEqual(['tcp', 'web'])
    },
  },
  {
    id: 'empty-at-first',
    source: 'karmada-io/karmada#2473, #3196',
    says: 'A Service without endpoints is exported: it is imported with an IP, and its first endpoint arrives; the last one goes, the IP stays.',
    async play({ scene, first }) {
      await scene.start()
      await first.addService()
      await first.addExport()
      for (const member of scene.members)
        await until(async () => (await member.imported())?.spec?.ips?.length ?? 0).toBeGreaterThan(0)
      const ipsOf = () =>
        Promise.all(scene.members.map(async (member) => (await member.imported())?.spec?.ips))
      const ips = await ipsOf()
      await first.publish(['10.1.0.1'])
      await untilImported(scene.members, ['first/10.1.0.1'])
      await first.publish([])
      await untilImported(scene.members, [])
      expect(await ipsOf()).toEqual(ips)
    },
  },
]
