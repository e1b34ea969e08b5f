import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ApiServer } from '../../cluster/api-server.ts'
import { type GuardedProcess, startGuarded } from '../guarded-process.ts'

/** A process between a contender and its API server, which makes the way longer. */
interface Distance extends Pick<GuardedProcess, 'pid' | 'stop'> {
  /** Path of a kubeconfig that leads through it. */
  readonly kubeconfig: string
}

const MAIN = fileURLToPath(new URL('./delaying-proxy-main.ts', import.meta.url))
const READY = /^ready: (\S+)/m

/** Starts it. Its kubeconfig is in the server's folder. */
export async function startDistance(
  { url, folder, kubeconfig }: Pick<ApiServer, 'url' | 'folder' | 'kubeconfig'>,
  roundTripMs: number,
): Promise<Distance> {
  const flags = ['--to', new URL(url).host, '--round-trip', String(roundTripMs)]
  const proxy = await startGuarded('the delaying proxy', [MAIN, ...flags], READY)
  const [, address] = READY.exec(await proxy.log()) ?? []
  const path = join(folder, 'distant-kubeconfig')
  await writeFile(path, kubeconfig.text.replaceAll(url, `https://${address}`), { mode: 0o600 })
  return { pid: proxy.pid, stop: proxy.stop, kubeconfig: path }
}
