import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { createChildProcesses, untilReady } from '../../cluster/child-processes.ts'

/** `sliceflow run` as it is installed: relay, queue and function in one process. */
interface RunProcess {
  readonly pid: number
  /** Returns its largest resident memory so far. */
  peakMemoryMb(): Promise<number>
  stop(): Promise<void>
}

const BUILT = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** Resolves when it has listed every cluster. */
export async function startRunProcess(kubeconfig: string, clusters: readonly string[]): Promise<RunProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-tenant-'))
  const processes = createChildProcesses()
  processes.guardFolder(folder)
  const contexts = clusters.flatMap((cluster) => ['--context', cluster])
  const args = [BUILT, 'run', '--kubeconfig', kubeconfig, ...contexts]
  const child = await processes.start(execPath, args, join(folder, 'run.log'))
  await untilReady('sliceflow', child, async () => /^ready/m.test(await readFile(child.log, 'utf8')))
  return {
    pid: child.pid,
    async peakMemoryMb() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024
    },
    async stop() {
      child.kill('SIGTERM')
      await child.ended
      processes.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
