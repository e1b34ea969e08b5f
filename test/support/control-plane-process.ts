import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SliceflowProcess, startSliceflowProcess } from './sliceflow-process.ts'

/** The command `sliceflow control-plane` as a process of its own; the caller ends it. */
export interface ControlPlaneProcess extends Pick<SliceflowProcess, 'pid' | 'stderr'> {
  readonly url: string
  /** YAML. */
  readonly kubeconfig: string
  /** Sends the signal and waits for the end; resolves with the exit code, null where a signal was the end. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts the command from the sources. Resolves when it has printed its `ready` line; rejects with its output
 * if it ends before.
 */
export const startControlPlane = (...flags: readonly string[]): Promise<ControlPlaneProcess> =>
  startCommand(undefined, flags)

/** Starts the command that `main` is, such as a built one, in the same way. */
export async function startCommand(
  main: string | undefined,
  flags: readonly string[],
): Promise<ControlPlaneProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-process-'))
  const file = join(folder, 'kubeconfig')
  const process = startSliceflowProcess({
    ...(main !== undefined && { main }),
    command: 'control-plane',
    flags: ['--kubeconfig-out', file, ...flags],
  })
  try {
    await process.ready
    return {
      pid: process.pid,
      url: /^ready: (\S+)/m.exec(process.stdout)?.[1] ?? '',
      kubeconfig: await readFile(file, 'utf8'),
      get stderr() {
        return process.stderr
      },
      end(signal) {
        process.kill(signal)
        return process.ended
      },
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
