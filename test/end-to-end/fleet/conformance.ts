import { describe, expect, it } from 'vitest'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { openFleetScene, threeOf, untilImported } from './fleet-scene.ts'

/** What the Service in the conformance suite of sigs.k8s.io/mcs-api says beside its ports. */
const SPEC = {
  sessionAffinity: 'ClientIP',
  sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
  internalTrafficPolicy: 'Local',
  trafficDistribution: 'PreferClose',
}

/**
 * Describes what the conformance suite of sigs.k8s.io/mcs-api asks of an import, as far as it needs no data
 * plane. How exports are merged, and which of them are not valid, is tested in shared/fleet.
 */
export function describeConformance(open: () => readonly FleetCluster[]): void {
  describe('a ClusterIP Service', () => {
    it('that is exported is imported everywhere with what it says, its slices have their labels, and all is gone after unexport', async () => {
      const scene = await openFleetScene(open())
      await scene.start()
      const { first } = threeOf(scene)
      const { members: all } = scene
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
      await until(() => Promise.all(all.map((member) => member.imported()))).toEqual(all.map(() => undefined))
      await until(() => Promise.all(all.map((member) => member.derived()))).toEqual(all.map(() => undefined))
      await until(() => Promise.all(all.map((member) => member.slices()))).toEqual(all.map(() => []))
    })
  })
}
