import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineKinds } from '../../shared/fleet/crds.fixtures.ts'
import {
  type ApiClient,
  createApiClient,
  loadClusters,
  NAMESPACES,
  NODES,
} from '../../shared/kubernetes/index.ts'
import { defineEndpointSelectors } from '../end-to-end/selector-scene.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { authorityOf, mergeKubeconfigs, serverOf, withServer } from '../support/kubeconfig.ts'
import { startTestQueue } from '../support/test-queue.ts'
import { createFakePods, type FakePods, makeNode, type SelectionMode } from '../support/world/index.ts'
import { openProperties, REGIONS } from './cluster-selection.ts'
import type { SetOffers } from './fleet-offers.ts'
import { type Foreign, NAMESPACES_OF_HISTORY, NODE_NAMES, ZONES } from './objects.ts'
import { createRuns, type Runs } from './runs.ts'
import { type HistoryServer, type ServerKind, START_SERVER } from './servers.ts'

/** Servers and mode of a history. */
export interface Scene {
  readonly seed: number
  readonly servers: ServerKind
  readonly mode: SelectionMode
  /** True: a queue that outlives the processes, and `--state-dir`. */
  readonly keepsState?: boolean
  /** Seconds at a quiet point until everything must be right; default `BOUND_SECONDS`. */
  readonly boundSeconds?: number
  /** Number of clusters, each with Services of its own. */
  readonly clusters: number
  /** True: the clusters are a cluster set. */
  readonly fleet?: boolean
  /** Name of a fault of test/perturbation/faults.ts that is put into Sliceflow; the history must fail. */
  readonly fault?: string
}

/** A cluster of a history. Sliceflow reaches it through the door, the history directly. */
export interface HistoryCluster {
  readonly name: string
  /** May do everything. */
  readonly client: ApiClient
  readonly pods: FakePods
  readonly server: HistoryServer
  readonly door: FaultProxy
  /** Slices of other owners, which must stay as they are. */
  foreign: Foreign
  /** Number of edits and deletions of Sliceflow's slices so far, by Service: after many it backs off. */
  readonly edits: Map<string, number>
  hasBackup: boolean
  /** Set while Sliceflow cannot reach it, or may not read it. */
  outage: Outage | undefined
}

export interface Outage {
  readonly kind: 'down' | '503' | '403' | '403 of exports'
  /** What its cluster set was before; absent where there is none. */
  readonly set?: SetOffers
}

export interface World {
  readonly scene: Scene
  readonly clusters: readonly HistoryCluster[]
  readonly runs: Runs
  /** Folder of logs and recordings. */
  readonly folder: string
  /** True if a process, a server or a connection has started again since the last quiet point. */
  startsAnew: boolean
  /** True if nothing was done since a quiet point. */
  isQuiet: boolean
  /** Ends everything. */
  close(options?: { readonly keepsFolder: boolean }): Promise<void>
}

const RESTART_MS = 30_000
const POLL_MS = 50

/** Starts the servers, with their nodes and namespaces, and one `sliceflow run` for all of them. */
export async function openWorld(scene: Scene): Promise<World> {
  const ends: (() => Promise<unknown>)[] = []
  const end = async (): Promise<void> => {
    for (const each of ends.splice(0).reverse()) await each()
  }
  const folder = await mkdtemp(join(tmpdir(), `sliceflow-history-${scene.seed}-`))
  try {
    const names = Array.from({ length: scene.clusters }, (_, index) => `c${index + 1}`)
    const clusters = await Promise.all(names.map((name) => openCluster(name, { scene, folder, ends })))
    const kubeconfig = join(folder, 'kubeconfig')
    const texts = clusters.map(({ server, door }) => withServer(server.user, door.url, door.authority))
    await writeFile(kubeconfig, mergeKubeconfigs(texts), { mode: 0o600 })
    const queue = scene.keepsState === true ? await openQueue(ends) : undefined
    const runs = createRuns({ ...scene, folder, kubeconfig, contexts: names, ...(queue && { queue }) })
    ends.push(() => runs.killAll())
    await runs.start()
    await runs.untilReady()
    return {
      scene,
      clusters,
      runs,
      folder,
      startsAnew: false,
      isQuiet: false,
      async close({ keepsFolder } = { keepsFolder: false }) {
        await end()
        if (!keepsFolder) await rm(folder, { recursive: true })
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

interface Surroundings {
  readonly scene: Scene
  readonly folder: string
  readonly ends: (() => Promise<unknown>)[]
}

async function openCluster(name: string, { scene, folder, ends }: Surroundings): Promise<HistoryCluster> {
  const server = await START_SERVER[scene.servers](name)
  ends.push(() => server.stop())
  const door = await startFaultProxy({ server: serverOf(server.admin), authority: authorityOf(server.admin) })
  ends.push(() => door.close())
  const file = join(folder, `${name}-admin`)
  await writeFile(file, server.admin, { mode: 0o600 })
  const [connection] = await loadClusters(file)
  if (connection === undefined) throw new Error(`the kubeconfig of ${name} has no cluster`)
  const client = createApiClient(connection)
  ends.push(async () => client.close())
  for (const namespace of NAMESPACES_OF_HISTORY)
    await client.create(NAMESPACES, { metadata: { name: namespace } })
  for (const [index, node] of NODE_NAMES.entries())
    await client.create(NODES, makeNode({ name: node, zone: ZONES[index % ZONES.length] ?? null }))
  await defineEndpointSelectors(client)
  if (scene.fleet === true) {
    await defineKinds(client)
    await openProperties(client, name, REGIONS[Number(name.slice(1)) % REGIONS.length] ?? '')
  }
  const pods = createFakePods(client)
  return {
    name,
    client,
    pods,
    server,
    door,
    foreign: new Map(),
    edits: new Map(),
    hasBackup: false,
    outage: undefined,
  }
}

/** Seconds until a message of a process that was killed comes back. */
const VISIBILITY_SECONDS = 30

async function openQueue(ends: Surroundings['ends']): Promise<string> {
  const { client, queueUrl, stop } = await startTestQueue('live')
  ends.push(stop)
  const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS) }
  await client.setQueueAttributes({ QueueUrl: queueUrl, Attributes })
  // The server names itself as AWS does, which is no name here.
  const url = new URL(queueUrl)
  url.hostname = '127.0.0.1'
  return url.href
}

/** Waits until a server that was started again answers. */
export async function untilAnswers({ name, client }: HistoryCluster): Promise<void> {
  const deadline = performance.now() + RESTART_MS
  for (;;) {
    try {
      await client.list(NAMESPACES, { limit: 1 })
      return
    } catch (cause) {
      if (performance.now() > deadline) throw new Error(`${name} does not answer after a restart`, { cause })
      await sleep(POLL_MS)
    }
  }
}
