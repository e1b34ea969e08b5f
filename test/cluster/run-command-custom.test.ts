import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, runWatcher } from '../../shared/kubernetes/index.ts'
import { createWorkload, IN_TREE_CONTROLLER } from '../support/workload.ts'
import { type ControllerManager, startControllerManager } from './controller-manager.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { clientOf, startRun, writeFileForTest } from './run-command.ts'

const SETTLE_SECONDS = 90

describe('sliceflow run in custom mode beside the in-tree controller', () => {
  let cluster: RealCluster
  let controllers: ControllerManager

  beforeAll(async () => {
    cluster = await startRealCluster('real')
    controllers = await startControllerManager({
      kubeconfig: cluster.server.kubeconfig.path,
      controllers: ['endpointslice-controller', 'garbage-collector-controller'],
    })
  })
  afterAll(async () => {
    await controllers?.stop()
    await cluster?.stop()
  })

  it('shares the cluster with it: both make their slices right, and neither writes the other’s', async () => {
    const client = await clientOf(cluster.admin)
    // The in-tree controller syncs no Service because a Node changed: its slices show that with the next
    // change only.
    const without = ['node-zone', 'node-toggle'] as const
    const load = createWorkload({
      client,
      services: 40,
      podsPerService: 5,
      seed: 7,
      besideInTree: true,
      without,
    })
    const run = startRun(await writeFileForTest('kubeconfig', cluster.user))
    await run.ready
    // A slice that one of them took over from the other would change its managed-by value.
    const owners = new Map<string, Set<string>>()
    const watching = new AbortController()
    const sync = ({ metadata }: { metadata?: { uid?: string; labels?: Record<string, string> } }): void => {
      const uid = metadata?.uid ?? ''
      owners.set(uid, (owners.get(uid) ?? new Set()).add(metadata?.labels?.[LABEL_MANAGED_BY] ?? ''))
    }
    const handler = { listing() {}, object: sync, listed() {}, changed: sync, deleted: sync }
    const watched = runWatcher(client, { resource: ENDPOINT_SLICES, handler, signal: watching.signal })

    await load.createAll()
    await load.change({ rate: 30, seconds: 8 })
    const { differences } = await load.settle(SETTLE_SECONDS)
    watching.abort()
    await watched

    expect(differences).toEqual([])
    const values = [...owners.values()]
    expect(values.filter((seen) => seen.size > 1)).toEqual([])
    const everybody = new Set(values.flatMap((seen) => [...seen]))
    expect(everybody).toEqual(new Set(['sliceflow.dev', IN_TREE_CONTROLLER, 'somebody-else', '']))
  })
})
