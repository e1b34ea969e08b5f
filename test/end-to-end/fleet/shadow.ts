import { describe, expect, it } from 'vitest'
import { clusterSetOf } from '../../../shared/cluster-sets/index.ts'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { openFleetScene, untilImported } from './fleet-scene.ts'

/**
 * Describes a Sliceflow that compares what clusters of a set import with what it would import, and writes
 * nothing.
 */
export function describeShadow(open: () => readonly FleetCluster[]): void {
  describe('the shadow of a cluster set', () => {
    it('tells what it would import and writes nothing, until it is there by somebody else', async () => {
      const scene = await openFleetScene(open())
      const [first] = scene.members
      if (first === undefined) throw new Error('a cluster is needed')
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      const shadow = await scene.start({ settings: { shadow: true } })
      // It compares the Service in its own cluster as well, before or after.
      const lastOfSet = () => shadow.compared.findLast(({ key }) => clusterSetOf(key) !== undefined)
      const result = () => lastOfSet()?.result
      await until(result).toBe('different')
      // A ServiceImport in each cluster, at least.
      const objects = lastOfSet()?.differences.get('object') ?? 0
      expect(objects).toBeGreaterThanOrEqual(scene.members.length)
      expect(shadow.log).toContainEqual(
        expect.objectContaining({ msg: 'shadow: would publish something else', service: 'hello' }),
      )
      expect(await first.conditions()).toEqual({})
      for (const member of scene.members) {
        expect(await member.imported()).toBeUndefined()
        expect(await member.derived()).toBeUndefined()
        expect(await member.slices()).toEqual([])
      }

      await scene.start()
      await untilImported(scene.members, ['first/10.1.0.1'])
      await until(result).toBe('same')
      expect(shadow.log.filter(({ msg }) => msg === 'wrote slices')).toEqual([])
      expect(shadow.letters).toEqual([])
    })
  })
}
