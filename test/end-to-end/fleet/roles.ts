import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
import type { TestCluster } from '../cluster.ts'
import { until } from '../scene.ts'
import { type FleetClusters, startFleetClusters } from './fleet-clusters.ts'
import { openFleetScene, untilImported } from './fleet-scene.ts'

/** Files of infra/rbac for a cluster of each role, beside those of Services. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  exporter: ['fleet-export.yaml', 'cluster-role.yaml'],
  importer: ['fleet-import.yaml', 'cluster-role.yaml'],
}

/** Describes a set whose clusters only export or only import, with exactly the roles for that. */
export function describeRoles(
  name: string,
  start: (name: string, files: readonly string[]) => Promise<TestCluster>,
): void {
  describe(`the roles of a cluster set on ${name}`, () => {
    let fleet: FleetClusters | undefined

    beforeAll(async () => {
      fleet = await startFleetClusters(Object.keys(FILES), (cluster) => start(cluster, FILES[cluster] ?? []))
    })
    afterAll(() => fleet?.stop())

    it('suffice for a cluster that only exports and one that only imports, from the first export to its end', async () => {
      const scene = await openFleetScene(fleet?.clusters ?? [])
      const [exporter, importer] = [scene.member('exporter'), scene.member('importer')]
      const roles = { exporter: 'export', importer: 'import' } as const
      const { log, letters } = await scene.start({ roles })
      await exporter.addService({}, ['10.1.0.1'])
      await exporter.addExport()
      await untilImported([importer], ['exporter/10.1.0.1'])
      await until(() => exporter.conditions()).toMatchObject({ Valid: 'True Valid', Ready: 'True Exported' })
      await exporter.publish(['10.1.0.1', '10.1.0.2'])
      await untilImported([importer], ['exporter/10.1.0.1', 'exporter/10.1.0.2'])
      // What others do to an import is seen by a watch with a selector, and mended.
      const [slice] = await importer.slices()
      await importer.client.delete(ENDPOINT_SLICES, {
        namespace: scene.namespace,
        name: slice?.metadata?.name ?? '',
      })
      await untilImported([importer], ['exporter/10.1.0.1', 'exporter/10.1.0.2'])
      await importer.client.patch(
        SERVICES,
        { namespace: scene.namespace, name: (await importer.derived())?.metadata?.name ?? '' },
        { spec: { sessionAffinity: 'ClientIP' } },
      )
      await until(async () => (await importer.derived())?.spec?.sessionAffinity).toBe('None')
      expect(await exporter.imported()).toBeUndefined()
      await exporter.removeExport()
      await until(() => importer.imported()).toBeUndefined()
      await until(() => importer.derived()).toBeUndefined()
      expect(log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
      expect(letters).toEqual([])
    })
  })
}
