import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { type ApiClient, createApiClient, loadClusters } from '../../shared/kubernetes/index.ts'

const MAIN = fileURLToPath(new URL('../../functions/cli/main.ts', import.meta.url))

/** The command `sliceflow run` as a process of its own; it is killed when the test ends. */
export interface RunCommand {
  /** What it has written so far. */
  readonly stdout: string
  readonly stderr: string
  /** Resolves when it has printed its `ready` line; rejects when it ends before. */
  readonly ready: Promise<void>
  /** Resolves to its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  kill(signal: NodeJS.Signals): void
}

export function startRun(kubeconfig: string, ...flags: readonly string[]): RunCommand {
  const child = spawn(execPath, [MAIN, 'run', '--kubeconfig', kubeconfig, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const ended = once(child, 'close').then(([code]): number | null => code)
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk
      if (/^ready.*\n/m.test(stdout)) resolve()
    })
    void ended.then((code) => reject(new Error(`the command ended with ${code}:\n${stderr}`)))
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  // Not every test waits for it.
  ready.catch(() => {})
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    get stdout() {
      return stdout
    },
    get stderr() {
      return stderr
    },
    ready,
    ended,
    kill: (signal) => void child.kill(signal),
  }
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
