import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

export interface SliceflowProcessOptions {
  /** A file; default: none is named. */
  readonly kubeconfig?: string
  /** Default `run`. */
  readonly command?: 'run' | 'control-plane'
  /** Path of the command; default: that of the sources. */
  readonly main?: string
  /** Flags of the command. */
  readonly flags?: readonly string[]
  /** Flags of Node, such as `--import`. */
  readonly nodeFlags?: readonly string[]
  /** Besides this process' own. */
  readonly env?: Readonly<Record<string, string>>
}

/** A command of `sliceflow` as a process of its own; the caller ends it. */
export interface SliceflowProcess {
  readonly pid: number
  /** Text that it has written so far. */
  readonly stdout: string
  readonly stderr: string
  /** Resolves when it has printed its `ready` line; rejects when it ends before. */
  readonly ready: Promise<void>
  /** Resolves to its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  kill(signal: NodeJS.Signals): void
}

export function startSliceflowProcess({
  kubeconfig,
  command = 'run',
  main = MAIN,
  flags = [],
  nodeFlags = [],
  env = {},
}: SliceflowProcessOptions): SliceflowProcess {
  const own = kubeconfig === undefined ? flags : ['--kubeconfig', kubeconfig, ...flags]
  const child = spawn(execPath, [...nodeFlags, main, command, ...own], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
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
  // Not every caller waits for it.
  ready.catch(() => {})
  return {
    pid: child.pid ?? 0,
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
