import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import type { ApiServer } from '../../cluster/api-server.ts'
import { createChildProcesses, untilReady } from '../../cluster/child-processes.ts'

/** A process between a contender and its API server, which makes the way longer. */
interface Distance {
  readonly pid: number
  /** Path of a kubeconfig that leads through it. */
  readonly kubeconfig: string
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('./delaying-proxy-main.ts', import.meta.url))

/** Starts it; it is killed when this process ends. Its files are in the server's folder. */
export async function startDistance(
  { url, folder, kubeconfig }: Pick<ApiServer, 'url' | 'folder' | 'kubeconfig'>,
  roundTripMs: number,
): Promise<Distance> {
  const processes = createChildProcesses()
  const flags = ['--to', new URL(url).host, '--round-trip', String(roundTripMs)]
  const log = join(folder, 'delaying-proxy.log')
  const child = await processes.start(execPath, [MAIN, ...flags], log)
  let address = ''
  await untilReady('the delaying proxy', child, async () => {
    address = /^ready: (\S+)/m.exec(await readFile(log, 'utf8'))?.[1] ?? ''
    return address !== ''
  })
  const path = join(folder, 'distant-kubeconfig')
  await writeFile(path, kubeconfig.text.replaceAll(url, `https://${address}`), { mode: 0o600 })
  return {
    pid: child.pid,
    kubeconfig: path,
    async stop() {
      child.kill('SIGKILL')
      await child.ended
      processes.close()
    },
  }
}
