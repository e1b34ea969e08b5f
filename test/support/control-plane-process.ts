import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

/** The command `sliceflow control-plane` as a process of its own; the caller ends it. */
export interface ControlPlaneProcess {
  readonly pid: number
  readonly url: string
  /** YAML. */
  readonly kubeconfig: string
  /** Text that it has written so far. */
  readonly stderr: string
  /** Sends the signal and waits for the end; resolves with the exit code, null where a signal was the end. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts the command from the sources. Resolves when it has printed its `ready` line; rejects with its output
 * if it ends before.
 */
export const startControlPlane = (...flags: readonly string[]): Promise<ControlPlaneProcess> =>
  startCommand(MAIN, flags)

/** Starts the command that `main` is, such as a built one, in the same way. */
export async function startCommand(main: string, flags: readonly string[]): Promise<ControlPlaneProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-process-'))
  const file = join(folder, 'kubeconfig')
  const child = spawn(execPath, [main, 'control-plane', '--kubeconfig-out', file, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const ended = once(child, 'close').then(([code]): number | null => code)
  const ready = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      output.stderr += chunk
    })
    child.stdout.on('data', (chunk: Buffer) => {
      output.stdout += chunk
      const url = /^ready: (\S+)/m.exec(output.stdout)?.[1]
      if (url !== undefined && output.stdout.includes('\n')) resolve(url)
    })
    void ended.then((code) => reject(new Error(`the control plane ended with ${code}:\n${output.stderr}`)))
  })
  try {
    const url = await ready
    return {
      pid: child.pid ?? 0,
      url,
      kubeconfig: await readFile(file, 'utf8'),
      get stderr() {
        return output.stderr
      },
      async end(signal) {
        child.kill(signal)
        return await ended
      },
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
