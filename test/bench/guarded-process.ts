import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { createChildProcesses, untilReady } from '../cluster/child-processes.ts'

/** A program of Node in a process of its own, to be stopped by its starter; killed when this process ends. */
export interface GuardedProcess {
  readonly pid: number
  readonly running: boolean
  /** Reads what it has written so far. */
  log(): Promise<string>
  /** Ends it, by default with SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Starts a program and waits until it has written what matches.
 * @throws ServerError with the end of its log if it ends before
 */
export async function startGuarded(
  name: string,
  args: readonly string[],
  ready: RegExp,
): Promise<GuardedProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-bench-'))
  const processes = createChildProcesses()
  processes.guardFolder(folder)
  const child = await processes.start(execPath, args, join(folder, 'log'))
  const log = (): Promise<string> => readFile(child.log, 'utf8')
  await untilReady(name, child, async () => ready.test(await log()))
  return {
    pid: child.pid,
    get running() {
      return child.running
    },
    log,
    async stop(signal = 'SIGKILL') {
      child.kill(signal)
      await child.ended
      processes.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
