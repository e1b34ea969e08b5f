import { expect, onTestFinished } from 'vitest'
import type { ApiClient, ClusterConnection } from '../../shared/kubernetes/index.ts'
import { parseSettings, type Settings, type SettingsInput } from '../../shared/settings/index.ts'
import { numbered, openTestNamespace, type TestNamespace } from '../support/test-namespace.ts'
import type { TestCluster } from './cluster.ts'
import { type Sliceflow, startSliceflow } from './sliceflow.ts'

export { numbered }

/** A cluster as the scenes of a suite share it. */
export interface SceneCluster extends Pick<TestCluster, 'setPodsReadable'> {
  readonly name: string
  /** May do everything. */
  readonly client: ApiClient
  /** Connection that Sliceflow is given. */
  readonly connection: ClusterConnection
  /** The file of the same. */
  readonly kubeconfig: string
  /** The file of a user who may do everything. */
  readonly adminKubeconfig: string
}

/** Gives the scenarios the cluster that their suite has started by the time they run. */
export type OpenCluster = () => SceneCluster

/** A namespace of a test's own with a Sliceflow, once it is started. Everything is gone after the test. */
export interface Scene extends Omit<TestNamespace, 'remove'> {
  readonly cluster: string
  readonly settings: Settings
  /**
   * Starts a Sliceflow on this cluster; resolves once it is synced. @param changed settings that an operator
   * changes
   */
  start(changed?: Partial<Settings>): Promise<Sliceflow>
  untilRight(timeoutMs?: number): Promise<void>
  /** Starts a Sliceflow, and waits until the slices are right. */
  startRight(): Promise<Sliceflow>
}

/** Long enough for a crowded machine; nothing waits for it when all is well. */
const TIMEOUT_MS = 45_000
const POLL_MS = 100

/** Waits until the condition holds; says what it saw last when it does not in time. */
export const until = (condition: () => unknown, timeout = TIMEOUT_MS) =>
  expect.poll(condition, { timeout, interval: POLL_MS })

export async function openScene(
  { name: cluster, client, connection }: Pick<SceneCluster, 'name' | 'client' | 'connection'>,
  input: SettingsInput = {},
): Promise<Scene> {
  const settings = parseSettings({ coalescingWindow: 0.05, ...input })
  const { mode, managedBy, maxEndpointsPerSlice } = settings
  const place = await openTestNamespace({ client, prefix: 'e2e', mode, managedBy, maxEndpointsPerSlice })
  onTestFinished(() => place.remove())
  const scene: Scene = {
    ...place,
    cluster,
    settings,
    async start(changed = {}) {
      const sliceflow = await startSliceflow([connection], { ...settings, ...changed })
      await sliceflow.synced
      return sliceflow
    },
    async untilRight(timeoutMs) {
      await until(() => place.differences(), timeoutMs).toEqual([])
    },
    async startRight() {
      const sliceflow = await scene.start()
      await scene.untilRight()
      return sliceflow
    },
  }
  return scene
}

/** Opens a scene with the Service `web`, and that many Pods of it. */
export async function openWeb(cluster: SceneCluster, pods: number, input?: SettingsInput): Promise<Scene> {
  const scene = await openScene(cluster, input)
  await scene.addPods(numbered('web', pods))
  await scene.addService('web')
  return scene
}
