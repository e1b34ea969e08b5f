import { expect } from 'vitest'
import type { ClusterConnection } from '../../../shared/kubernetes/index.ts'
import { untilImported } from '../../end-to-end/fleet/fleet-scene.ts'
import { until } from '../../end-to-end/scene.ts'
import type { FleetRow } from './row.ts'

/** Clusters that are not who their names say. */
export const IDENTITIES: readonly FleetRow[] = [
  {
    id: 'one-cluster-two-names',
    source: 'k3s-io/k3s#14441, sunny0826/kubecm#1047',
    says: 'Two contexts lead to one cluster, as merged kubeconfigs call both clusters alike: it is in the set once, under its first name, and the log has both.',
    async play({ scene, first, second }) {
      let known: ClusterConnection | undefined
      const sliceflow = await scene.start({
        waits: false,
        connect(connection) {
          if (connection.name === 'second') known = connection
          return connection.name === 'third' && known !== undefined ? { ...known, name: 'third' } : connection
        },
      })
      await second.addService({}, ['10.2.0.1'])
      await second.addExport()
      await untilImported([first, second], ['second/10.2.0.1'])
      await until(async () => sliceflow.log).toContainEqual(
        expect.objectContaining({ level: 'error', cluster: 'third', other: 'second' }),
      )
      await second.publish(['10.2.0.2'])
      await untilImported([first, second], ['second/10.2.0.2'])
      expect(sliceflow.letters).toEqual([])
    },
  },
]
