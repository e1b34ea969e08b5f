import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type ApiClient,
  type ClusterConnection,
  createApiClient,
  loadClusters,
} from '../../shared/kubernetes/index.ts'
import type { SliceflowProcess } from '../support/sliceflow-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestRun } from '../support/test-run.ts'

/** Starts the command `sliceflow run` as a process of its own; it is killed when the test ends. */
export const startRun = (kubeconfig: string, ...flags: readonly string[]): SliceflowProcess =>
  startTestRun({ kubeconfig, flags })

/** Writes files for the command to read; they are gone after the test. */
export async function writeFileForTest(name: string, text: string): Promise<string> {
  const path = join(temporaryFolder(), name)
  await writeFile(path, text, { mode: 0o600 })
  return path
}

/** Long enough to outlive a server that is frozen for a while. */
const CALL_TIMEOUT_MS = 150_000

/** Connects to a kubeconfig's current context. */
export async function connectionOf(kubeconfig: string): Promise<ClusterConnection> {
  const [connection] = await loadClusters(await writeFileForTest('kubeconfig', kubeconfig))
  if (connection === undefined) throw new Error('the kubeconfig names no cluster')
  return connection
}

/** Returns a client of it, which is closed after the test. */
export async function clientOf(kubeconfig: string): Promise<ApiClient> {
  const client = createApiClient(await connectionOf(kubeconfig), { timeoutMs: CALL_TIMEOUT_MS })
  onTestFinished(() => client.close())
  return client
}
