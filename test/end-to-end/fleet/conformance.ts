import { describe, expect, it } from 'vitest'
import type { Service } from '../../../shared/endpointslice/index.ts'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { type FleetScene, openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

/** Session affinity of the Service in the conformance suite of sigs.k8s.io/mcs-api. */
const AFFINITY: Partial<NonNullable<Service['spec']>> = {
  sessionAffinity: 'ClientIP',
  sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
}
/** Long enough to notice what ought not to come. */
const STAYS_MS = 1_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Describes the specifications of the conformance suite of sigs.k8s.io/mcs-api that need no data plane: a
 * test each, named after its specification, with a note whether it is required there.
 */
export function describeConformance(open: () => readonly FleetCluster[]): void {
  interface Fleet {
    readonly scene: FleetScene
    readonly first: SceneMember
    readonly second: SceneMember
    readonly all: readonly SceneMember[]
  }

  async function openFleet(): Promise<Fleet> {
    const scene = await openFleetScene(open())
    const { first, second } = threeOf(scene)
    await scene.start()
    return { scene, first, second, all: scene.members }
  }

  const everywhere = (all: readonly SceneMember[]) =>
    until(() => Promise.all(all.map(async (member) => (await member.imported())?.spec?.type)))

  describe('a ServiceExport', () => {
    it('of two clusters, one of which takes it back: the import stays until the other does, too [required]', async () => {
      const { first, second, all } = await openFleet()
      await first.addService(AFFINITY, ['10.1.0.1'])
      await first.addExport()
      await untilImported(all, ['first/10.1.0.1'])
      await second.addService(AFFINITY, ['10.2.0.1'])
      await second.addExport()
      await untilImported(all, ['first/10.1.0.1', 'second/10.2.0.1'])
      await first.removeExport()
      await untilImported(all, ['second/10.2.0.1'])
      await until(async () => (await second.imported())?.status?.clusters).toEqual([{ cluster: 'second' }])
      await second.removeExport()
      await everywhere(all).toEqual(all.map(() => undefined))
    })

    it('of an ExternalName Service is not valid, and nothing is imported [required]', async () => {
      const { first, all } = await openFleet()
      await first.addService({ type: 'ExternalName', externalName: 'example.org', ports: [] })
      await first.addExport()
      await until(() => first.conditions()).toMatchObject({ Valid: 'False InvalidServiceType' })
      await pause(STAYS_MS)
      await everywhere(all).toEqual(all.map(() => undefined))
    })

    it('of a ClusterIP and a headless Service has a conflict in both clusters, and the older type counts [required]', async () => {
      const { first, second, all } = await openFleet()
      await first.addService(AFFINITY)
      await first.addExport()
      await everywhere(all).toEqual(all.map(() => 'ClusterSetIP'))
      await pause(1_100)
      await second.addService({ clusterIP: 'None' })
      await second.addExport()
      for (const member of [first, second])
        await until(() => member.conditions()).toMatchObject({
          Conflict: expect.stringMatching(/^True .*TypeConflict/),
        })
      await everywhere(all).toEqual(all.map(() => 'ClusterSetIP'))
    })
  })

  describe('a ClusterIP Service', () => {
    it('that is exported is valid, imported everywhere with a ClusterSetIP, and gone after unexport [required]', async () => {
      const { first, all } = await openFleet()
      await first.addService(AFFINITY)
      await first.addExport()
      await until(() => first.conditions()).toMatchObject({
        Valid: 'True Valid',
        Conflict: 'False NoConflicts',
      })
      await everywhere(all).toEqual(all.map(() => 'ClusterSetIP'))
      await first.removeExport()
      await everywhere(all).toEqual(all.map(() => undefined))
      await until(() => Promise.all(all.map((member) => member.derived()))).toEqual(all.map(() => undefined))
    })

    it.each([
      ['session affinity with its configuration', AFFINITY, AFFINITY],
      ['internalTrafficPolicy', { internalTrafficPolicy: 'Local' }, { internalTrafficPolicy: 'Local' }],
      ['trafficDistribution', { trafficDistribution: 'PreferClose' }, { trafficDistribution: 'PreferClose' }],
      [
        'ports',
        {},
        {
          ports: [
            { name: 'tcp', port: 42, protocol: 'TCP' },
            { name: 'udp', port: 42, protocol: 'UDP' },
          ],
        },
      ],
    ])('gives its %s to the import [required]', async (_, spec, expected) => {
      const { first, all } = await openFleet()
      await first.addService(spec)
      await first.addExport()
      for (const member of all)
        await until(async () => (await member.imported())?.spec).toMatchObject(expected)
    })

    it('has ips that fit ipFamilies when they first appear [required]', async () => {
      const { first, all } = await openFleet()
      const seen = all.map(async (member) => {
        for (;;) {
          const spec = (await member.imported())?.spec
          if ((spec?.ips?.length ?? 0) > 0) return spec
          await pause(5)
        }
      })
      await first.addService({ ipFamilyPolicy: 'PreferDualStack' })
      await first.addExport()
      for (const spec of await Promise.all(seen)) {
        const families = spec?.ips?.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'))
        expect(spec?.ipFamilies).toEqual(families)
        expect(new Set(families).size).toBe(families?.length)
      }
    })

    it('with other ports in another cluster has a conflict in both, and their union is imported [required]', async () => {
      const { first, second, all } = await openFleet()
      await first.addService()
      await first.addExport()
      await everywhere(all).toEqual(all.map(() => 'ClusterSetIP'))
      await pause(1_100)
      await second.addService({
        ports: [
          { name: 'udp', port: 42, protocol: 'UDP' },
          { name: 'stcp', port: 142, protocol: 'TCP' },
        ],
      })
      await second.addExport()
      for (const member of [first, second])
        await until(() => member.conditions()).toMatchObject({ Conflict: 'True PortConflict' })
      for (const member of all)
        await until(async () =>
          (await member.imported())?.spec?.ports.map(({ name }) => name).sort(),
        ).toEqual(['stcp', 'tcp', 'udp'])
    })

    it('with another number of the same port has a conflict in both, and the older one is imported [required]', async () => {
      const { first, second, all } = await openFleet()
      await first.addService({ ports: [{ name: 'tcp', port: 42, protocol: 'TCP', targetPort: 8042 }] }, [
        '10.1.0.1',
      ])
      await first.addExport()
      await untilImported(all, ['first/10.1.0.1'])
      await pause(1_100)
      await second.addService({ ports: [{ name: 'tcp', port: 43, protocol: 'TCP', targetPort: 8042 }] }, [
        '10.2.0.1',
      ])
      await second.addExport()
      for (const member of [first, second])
        await until(() => member.conditions()).toMatchObject({ Conflict: 'True PortConflict' })
      for (const member of all)
        expect((await member.imported())?.spec?.ports).toMatchObject([{ name: 'tcp', port: 42 }])
      // A port's traffic goes only to clusters that expose it.
      await untilImported(all, ['first/10.1.0.1'])
    })
  })

  describe('a headless Service', () => {
    it('that is exported is imported everywhere as headless, and gone after unexport [required]', async () => {
      const { first, all } = await openFleet()
      await first.addService({ clusterIP: 'None' })
      await first.addExport()
      await everywhere(all).toEqual(all.map(() => 'Headless'))
      await first.removeExport()
      await everywhere(all).toEqual(all.map(() => undefined))
    })

    it('has no ips, and keeps having none [required]', async () => {
      const { first, all } = await openFleet()
      await first.addService({ clusterIP: 'None' }, ['10.1.0.1'])
      await first.addExport()
      await untilImported(all, ['first/10.1.0.1'])
      await pause(STAYS_MS)
      for (const member of all) {
        expect((await member.imported())?.spec?.ips ?? []).toEqual([])
        expect(await member.derived()).toBeUndefined()
      }
    })
  })

  describe('labels and annotations', () => {
    const OF_SERVICE = { metadata: { labels: { own: 'yes' }, annotations: { own: 'yes' } } }

    it('that are exported are on the import, those of the Service are not [optional]', async () => {
      const { first, all } = await openFleet()
      await first.addService()
      await first.patchService(OF_SERVICE)
      await first.addExport({ exportedLabels: { team: 'shop' }, exportedAnnotations: { note: 'hello' } })
      for (const member of all) {
        await until(async () => (await member.imported())?.metadata?.labels).toMatchObject({ team: 'shop' })
        const metadata = (await member.imported())?.metadata
        expect(metadata?.annotations).toMatchObject({ note: 'hello' })
        expect(metadata?.labels).not.toHaveProperty('own')
        expect(metadata?.annotations).not.toHaveProperty('own')
      }
    })

    it('that differ are a conflict in both clusters, and only those of the older export count [optional]', async () => {
      const { first, second, all } = await openFleet()
      await first.addService()
      await first.addExport({ exportedLabels: { team: 'shop' }, exportedAnnotations: { note: 'hello' } })
      await everywhere(all).toEqual(all.map(() => 'ClusterSetIP'))
      await pause(1_100)
      await second.addService()
      await second.addExport({ exportedLabels: { tier: 'back' }, exportedAnnotations: { other: 'bye' } })
      for (const member of [first, second])
        await until(() => member.conditions()).toMatchObject({
          Conflict: 'True LabelsConflict,AnnotationsConflict',
        })
      const metadata = (await second.imported())?.metadata
      expect(metadata?.labels).toMatchObject({ team: 'shop' })
      expect(metadata?.labels).not.toHaveProperty('tier')
      expect(metadata?.annotations).not.toHaveProperty('other')
    })
  })

  it('EndpointSlices are in every cluster with both labels and a manager of their own, and gone after unexport [optional]', async () => {
    const { first, all } = await openFleet()
    await first.addService({}, ['10.1.0.1'])
    await first.addExport()
    await untilImported(all, ['first/10.1.0.1'])
    for (const member of all) {
      const [slice, ...others] = await member.slices()
      expect(others).toEqual([])
      expect(slice?.metadata?.labels).toMatchObject({
        'multicluster.kubernetes.io/service-name': 'hello',
        'multicluster.kubernetes.io/source-cluster': 'first',
        'endpointslice.kubernetes.io/managed-by': 'fleet.sliceflow.dev',
      })
      await until(async () => (await member.imported())?.status?.endpointSliceObjects).toBe('Present')
    }
    await first.removeExport()
    await until(() => Promise.all(all.map((member) => member.slices()))).toEqual(all.map(() => []))
  })
}
