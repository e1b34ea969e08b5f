import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { type ApiClient, createApiClient, loadClusters } from '../../shared/kubernetes/index.ts'
import { type SliceflowProcess, startSliceflowProcess } from '../support/sliceflow-process.ts'

/** The command `sliceflow run` as a process of its own; it is killed when the test ends. */
export function startRun(kubeconfig: string, ...flags: readonly string[]): SliceflowProcess {
  const run = startSliceflowProcess({ kubeconfig, flags })
  onTestFinished(async () => {
    run.kill('SIGKILL')
    await run.ended
  })
  return run
}

/** Writes files for the command to read; they are gone after the test. */
export async function writeFileForTest(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-run-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600 })
  return path
}

/** Long enough to outlive a server that is frozen for a while. */
const CALL_TIMEOUT_MS = 150_000

/** A client of a kubeconfig's current context; closed after the test. */
export async function clientOf(kubeconfig: string): Promise<ApiClient> {
  const [connection] = await loadClusters(await writeFileForTest('kubeconfig', kubeconfig))
  if (connection === undefined) throw new Error('the kubeconfig names no cluster')
  const client = createApiClient(connection, { timeoutMs: CALL_TIMEOUT_MS })
  onTestFinished(() => client.close())
  return client
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[]
  readonly contexts: readonly unknown[]
  readonly users: readonly unknown[]
}

/** One kubeconfig with the contexts of all. */
export function mergeKubeconfigs(texts: readonly string[]): string {
  const all = texts.map((text): Kubeconfig => parse(text))
  return stringify({
    ...all[0],
    clusters: all.flatMap(({ clusters }) => clusters),
    contexts: all.flatMap(({ contexts }) => contexts),
    users: all.flatMap(({ users }) => users),
  })
}

/** The same kubeconfig with its clusters at another address. */
export function withServer(text: string, server: string): string {
  const config: Kubeconfig = parse(text)
  const clusters = config.clusters.map(({ cluster, ...rest }) => ({
    ...rest,
    cluster: { ...cluster, server },
  }))
  return stringify({ ...config, clusters })
}

/** Where the only cluster of a kubeconfig is. */
export function serverOf(text: string): URL {
  const config: Kubeconfig = parse(text)
  return new URL(config.clusters[0]?.cluster.server ?? '')
}
