import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

/** Long enough to notice what ought not to come. */
const STAYS_MS = 1_000
/** What the Service in the conformance suite of sigs.k8s.io/mcs-api says beside its ports. */
const SPEC = {
  sessionAffinity: 'ClientIP',
  sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
  internalTrafficPolicy: 'Local',
  trafficDistribution: 'PreferClose',
}

/**
 * Describes the specifications of the conformance suite of sigs.k8s.io/mcs-api that need no data plane. How
 * exports are merged, and which of them are not valid, is tested in shared/fleet.
 */
export function describeConformance(open: () => readonly FleetCluster[]): void {
  interface Fleet {
    readonly first: SceneMember
    readonly second: SceneMember
    readonly all: readonly SceneMember[]
  }

  async function openFleet(): Promise<Fleet> {
    const scene = await openFleetScene(open())
    await scene.start()
    return { ...threeOf(scene), all: scene.members }
  }

  const everywhere = (all: readonly SceneMember[]) =>
    until(() => Promise.all(all.map(async (member) => (await member.imported())?.spec?.type)))

  describe('a ClusterIP Service', () => {
    it('that is exported is imported everywhere with what it says, its slices have their labels, and all is gone after unexport', async () => {
      const { first, all } = await openFleet()
      await first.addService(SPEC, ['10.1.0.1'])
      await first.patchService({ metadata: { labels: { own: 'yes' }, annotations: { own: 'yes' } } })
      await first.addExport({ exportedLabels: { team: 'shop' }, exportedAnnotations: { note: 'hello' } })
      await until(() => first.conditions()).toMatchObject({
        Valid: 'True Valid',
        Conflict: 'False NoConflicts',
      })
      await untilImported(all, ['first/10.1.0.1'])
      for (const member of all) {
        await until(async () => (await member.imported())?.status?.endpointSliceObjects).toBe('Present')
        const { spec, metadata } = (await member.imported()) ?? {}
        expect(spec).toMatchObject({
          ...{ type: 'ClusterSetIP', ...SPEC },
          ports: [
            { name: 'tcp', port: 42, protocol: 'TCP' },
            { name: 'udp', port: 42, protocol: 'UDP' },
          ],
          ipFamilies: spec?.ips?.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4')),
        })
        expect(metadata?.labels).toMatchObject({ team: 'shop' })
        expect(metadata?.annotations).toMatchObject({ note: 'hello' })
        expect({ ...metadata?.labels, ...metadata?.annotations }).not.toHaveProperty('own')
        expect((await member.slices()).map((slice) => slice.metadata?.labels)).toEqual([
          expect.objectContaining({
            'multicluster.kubernetes.io/service-name': 'hello',
            'multicluster.kubernetes.io/source-cluster': 'first',
            'endpointslice.kubernetes.io/managed-by': 'fleet.sliceflow.dev',
          }),
        ])
      }
      await first.removeExport()
      await everywhere(all).toEqual(all.map(() => undefined))
      await until(() => Promise.all(all.map((member) => member.derived()))).toEqual(all.map(() => undefined))
      await until(() => Promise.all(all.map((member) => member.slices()))).toEqual(all.map(() => []))
    })

    it('of two clusters, one of which takes it back, stays imported until the other does, too', async () => {
      const { first, second, all } = await openFleet()
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await untilImported(all, ['first/10.1.0.1'])
      await second.addService({}, ['10.2.0.1'])
      await second.addExport()
      await untilImported(all, ['first/10.1.0.1', 'second/10.2.0.1'])
      await first.removeExport()
      await untilImported(all, ['second/10.2.0.1'])
      await until(async () => (await second.imported())?.status?.clusters).toEqual([{ cluster: 'second' }])
      await second.removeExport()
      await everywhere(all).toEqual(all.map(() => undefined))
    })

    it('with another number of the same port has a conflict in both clusters, and the older one is imported', async () => {
      const { first, second, all } = await openFleet()
      const ports = (port: number) => [{ name: 'tcp', port, protocol: 'TCP', targetPort: 8042 }]
      await first.addService({ ports: ports(42) }, ['10.1.0.1'])
      await first.addExport()
      await untilImported(all, ['first/10.1.0.1'])
      // Which of two is older is known to the second.
      await pause(1_100)
      await second.addService({ ports: ports(43) }, ['10.2.0.1'])
      await second.addExport()
      for (const member of [first, second])
        await until(() => member.conditions()).toMatchObject({ Conflict: 'True PortConflict' })
      for (const member of all)
        expect((await member.imported())?.spec?.ports).toMatchObject([{ name: 'tcp', port: 42 }])
      // A port's traffic goes only to clusters that expose it.
      await untilImported(all, ['first/10.1.0.1'])
    })
  })

  it('a headless Service is imported as headless, has no ips and keeps having none, and is gone after unexport', async () => {
    const { first, all } = await openFleet()
    await first.addService({ clusterIP: 'None' }, ['10.1.0.1'])
    await first.addExport()
    await untilImported(all, ['first/10.1.0.1'])
    await everywhere(all).toEqual(all.map(() => 'Headless'))
    await pause(STAYS_MS)
    for (const member of all) {
      expect((await member.imported())?.spec?.ips ?? []).toEqual([])
      expect(await member.derived()).toBeUndefined()
    }
    await first.removeExport()
    await everywhere(all).toEqual(all.map(() => undefined))
  })
}
