import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { type ClusterConnection, createApiClient, loadClusters } from '../../shared/kubernetes/index.ts'
import { describeAudits } from './audits.ts'
import type { StartCluster } from './cluster.ts'
import { describeConsole } from './console.ts'
import { describeDeliveries } from './deliveries.ts'
import { describeFailures } from './failures.ts'
import { describeForeignEdits } from './foreign-edits.ts'
import { describeGuards } from './guards.ts'
import { describeHistories } from './histories.ts'
import { describeLeftovers } from './leftovers.ts'
import { describeManagedServices } from './managed-services.ts'
import { describeMinimumVersions } from './minimum-versions.ts'
import { describeNodes } from './nodes.ts'
import { describeOwnWrites } from './own-writes.ts'
import { describeOwnership } from './ownership.ts'
import { describeRecordings } from './recordings.ts'
import type { OpenCluster, SceneCluster } from './scene.ts'
import { describeServiceChanges } from './service-changes.ts'
import { describeSizes } from './sizes.ts'
import { describeStandby } from './standby.ts'
import { describeTenants } from './tenants.ts'
import { describeUnreachableClusters } from './unreachable-clusters.ts'
import { describeWorkers } from './workers.ts'

export interface EndToEndOptions {
  /** Pods of the largest Service; default 3,000. */
  readonly manyPods?: number
}

/**
 * Describes the whole path from an API server's watch through the queue and the function back to it, on any
 * API server.
 */
export function describeEndToEnd(
  name: string,
  startCluster: StartCluster,
  { manyPods = 3_000 }: EndToEndOptions = {},
): void {
  describe(`Sliceflow on ${name}`, () => {
    const ends: (() => Promise<unknown>)[] = []
    let cluster: SceneCluster

    beforeAll(async () => {
      const started = await startCluster('e2e')
      ends.push(() => started.stop())
      const folder = await mkdtemp(join(tmpdir(), 'sliceflow-end-to-end-'))
      ends.push(() => rm(folder, { recursive: true }))
      const connect = async (file: string, kubeconfig: string): Promise<ClusterConnection> => {
        const path = join(folder, file)
        await writeFile(path, kubeconfig, { mode: 0o600 })
        const [connection] = await loadClusters(path)
        if (connection === undefined) throw new Error(`${path} names no cluster`)
        return connection
      }
      const client = createApiClient(await connect('admin', started.admin))
      ends.push(async () => client.close())
      const connection = await connect('user', started.user)
      const { setPodsReadable } = started
      cluster = {
        name: connection.name,
        client,
        connection,
        kubeconfig: join(folder, 'user'),
        setPodsReadable,
      }
    })
    afterAll(async () => {
      for (const end of ends.reverse()) await end()
    })

    const open: OpenCluster = () => cluster
    describeManagedServices(open)
    describeServiceChanges(open)
    describeLeftovers(open)
    describeNodes(open)
    describeForeignEdits(open)
    describeGuards(open)
    describeUnreachableClusters(open)
    describeOwnership(open)
    describeOwnWrites(open)
    describeAudits(open)
    describeFailures(open)
    describeDeliveries(open)
    describeWorkers(open)
    describeStandby(open)
    describeMinimumVersions(open)
    describeTenants(open)
    describeRecordings(open)
    describeHistories(open)
    describeConsole(open)
    describeSizes(open, manyPods)
  })
}
