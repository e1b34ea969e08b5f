import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { env } from 'node:process'
import type { Writable } from 'node:stream'

/**
 * For servers and programs in Go, which run for seconds to minutes: less garbage collection, a tenth of their
 * CPU time, for more memory.
 */
export const GO_ENV: Readonly<Record<string, string>> = { GOGC: '400' }

/** A server that was started, known by its process id. */
export interface Child {
  readonly pid: number
  /** Path of the file that its output goes to. */
  readonly log: string
  readonly running: boolean
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  /** Sends the signal to this process, if it still runs. */
  kill(signal: NodeJS.Signals): void
}

/** A server ended by itself, or did not become ready; the message ends with the last lines of its log. */
class ServerError extends Error {
  override readonly name = 'ServerError'
}

/**
 * Starts servers that end with this process, however it ends: a guard of its own process group reads the ids
 * of the children from a pipe and, when the pipe breaks, kills those that are left and removes the folders.
 * Exit handlers alone do not run on SIGKILL.
 */
export interface ChildProcesses {
  start(program: string, args: readonly string[], log: string): Promise<Child>
  /** Removes the folder, too, if this process dies. */
  guardFolder(path: string): void
  /** Ends the guard; children that still run are killed by it. */
  close(): void
}

const GUARD = `
pids= folders=
while read -r kind value; do
  case $kind in
    + ) pids="$pids $value" ;;
    - ) kept=; for pid in $pids; do [ "$pid" = "$value" ] || kept="$kept $pid"; done; pids=$kept ;;
    folder ) folders="$folders
$value" ;;
  esac
done
[ -z "$pids" ] || kill -9 $pids 2>/dev/null
echo "$folders" | while read -r folder; do [ -z "$folder" ] || rm -rf -- "$folder"; done
`

export function createChildProcesses(): ChildProcesses {
  const guard = spawn('/bin/sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const pipe: Writable & { unref?(): void } = guard.stdin
  guard.unref()
  pipe.unref?.()
  const tell = (line: string): void => {
    pipe.write(`${line}\n`)
  }
  return {
    async start(program, args, log) {
      const output = openSync(log, 'a')
      const process = spawn(program, args, { stdio: ['ignore', output, output], env: { ...GO_ENV, ...env } })
      closeSync(output)
      const pid = await pidOf(program, process)
      tell(`+ ${pid}`)
      process.once('exit', () => tell(`- ${pid}`))
      return childOf(pid, process, log)
    },
    guardFolder: (path) => tell(`folder ${path}`),
    close: () => void pipe.end(),
  }
}

function pidOf(program: string, process: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    process.once('spawn', () => resolve(process.pid ?? 0))
    process.once('error', (cause) =>
      reject(new ServerError(`failed to start ${program}: ${cause.message}`, { cause })),
    )
  })
}

function childOf(pid: number, process: ChildProcess, log: string): Child {
  const isRunning = (): boolean => process.exitCode === null && process.signalCode === null
  return {
    pid,
    log,
    get running() {
      return isRunning()
    },
    ended: new Promise((resolve) => {
      process.once('exit', () => resolve())
    }),
    kill(signal) {
      if (isRunning()) process.kill(signal)
    },
  }
}

const LOG_LINES = 15
/** Each question to a kube-apiserver is a TLS handshake, and it needs its CPU for its start. */
const POLL_MS = 100

/**
 * Asks again and again until `probe` says true.
 * @throws ServerError if the child ends before that, or the time is up
 */
export async function untilReady(
  name: string,
  child: Child,
  probe: () => Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await probe())) {
    const problem = !child.running
      ? 'ended at once'
      : performance.now() > deadline
        ? `was not ready within ${timeoutMs / 1000} s`
        : undefined
    if (problem !== undefined) {
      child.kill('SIGKILL')
      const lines = (await readFile(child.log, 'utf8')).trimEnd().split('\n').slice(-LOG_LINES)
      throw new ServerError(`${name} ${problem}; the end of its log:\n${lines.join('\n')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
