import { type ApiClient, NODES } from '../../shared/kubernetes/index.ts'
import { type RealCluster, startRealCluster } from '../cluster/end-to-end-cluster.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import { makeNode } from '../support/world/index.ts'
import { type Absences, watchAbsences } from './absences.ts'
import { type MachineTime, startMachineTime } from './machine-time.ts'
import { STORY_NODES } from './story.ts'

export const MANAGED_BY = 'sliceflow.dev'

/**
 * The API server that plans are played on, each in namespaces of its own, and a client that is not perturbed.
 */
export interface Arena {
  readonly cluster: RealCluster
  readonly client: ApiClient
  readonly absences: Absences
  /** Clock by which everything is timed. */
  readonly time: MachineTime
  close(): Promise<void>
}

/** Long enough for a server that is restarted meanwhile. */
const CALL_TIMEOUT_MS = 60_000

export async function openArena(): Promise<Arena> {
  const cluster = await startRealCluster('perturbed')
  const kubeconfigs = await openKubeconfigs()
  const { client } = await kubeconfigs.connect(cluster.server.kubeconfig.text, { timeoutMs: CALL_TIMEOUT_MS })
  for (const node of STORY_NODES) await client.create(NODES, makeNode(node))
  const time = startMachineTime()
  const absences = watchAbsences({ client, managedBy: MANAGED_BY, time })
  await absences.watch()
  return {
    cluster,
    client,
    absences,
    time,
    async close() {
      absences.stop()
      time.stop()
      await kubeconfigs.close()
      await cluster.stop()
    },
  }
}
