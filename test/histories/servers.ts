import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRealCluster } from '../cluster/end-to-end-cluster.ts'
import { freePort } from '../cluster/free-port.ts'
import { FLEET_ROLES, SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'

const ROLE_FILES = [...FLEET_ROLES, ...SELECTOR_ROLE_FILES]

/** An API server that can be restored from a backup. Its URL and certificates stay the same. */
export interface HistoryServer {
  /** Kubeconfig text of a user who may do everything. */
  readonly admin: string
  /** Kubeconfig text of the user that Sliceflow runs as. */
  readonly user: string
  /** Stores a copy of the data, in place of an earlier copy. */
  backUp(): Promise<void>
  /**
   * Starts the server again with the data of the copy: versions that were given out since are given again.
   */
  restore(): Promise<void>
  stop(): Promise<void>
}

/**
 * Milliseconds that no server is there, as with etcd. One that is back before a watch tries for the first
 * time, and past all versions that were seen by then, is noticed by nothing but a sweep.
 */
const RESTORE_MS = 2_500

export type ServerKind = 'embedded' | 'real'
type StartServer = (name: string) => Promise<HistoryServer>

/** Starts a kube-apiserver with an etcd of its own. */
const startReal: StartServer = async (name) => {
  const cluster = await startRealCluster(name, ROLE_FILES)
  return {
    admin: cluster.admin,
    user: cluster.user,
    backUp: () => cluster.server.snapshot(),
    restore: () => cluster.server.setBack(),
    stop: () => cluster.stop(),
  }
}

/** Starts an embedded control plane in this process. It is stopped while its folder is copied. */
const startEmbedded: StartServer = async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-histories-server-'))
  const dataDir = join(folder, 'data')
  const copy = join(folder, 'copy')
  const port = await freePort()
  const start = () => startEmbeddedCluster(name, { roleFile: ROLE_FILES, crds: true, dataDir, port })
  let cluster = await start()
  const whileStopped = async (act: () => Promise<unknown>): Promise<void> => {
    await cluster.stop()
    await act()
    cluster = await start()
  }
  return {
    admin: cluster.admin,
    user: cluster.user,
    backUp: () =>
      whileStopped(async () => {
        await rm(copy, { recursive: true, force: true })
        await cp(dataDir, copy, { recursive: true })
      }),
    restore: () =>
      whileStopped(async () => {
        await rm(dataDir, { recursive: true })
        await cp(copy, dataDir, { recursive: true })
        await sleep(RESTORE_MS)
      }),
    async stop() {
      await cluster.stop()
      await rm(folder, { recursive: true })
    },
  }
}

export const START_SERVER: Readonly<Record<ServerKind, StartServer>> = {
  embedded: startEmbedded,
  real: startReal,
}
