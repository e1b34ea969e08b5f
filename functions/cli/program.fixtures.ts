import { vi } from 'vitest'
import { runProgram } from './program.ts'

/** Texts that were written, and the exit code. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the program `sliceflow` in this process. One of its own takes half a second to start, and is needed
 * only for what `main.ts` adds.
 */
export const runSliceflow = (...args: readonly string[]): Promise<Ran> => runHere(() => runProgram(args))

/** Runs a program in this process. @param run gives the exit code; by default it is that of the process */
export async function runHere(run: () => Promise<number | undefined>): Promise<Ran> {
  const before = process.exitCode
  process.exitCode = undefined
  const written = { stdout: '', stderr: '' }
  try {
    const code = await capturing(written, run)
    return { code: code ?? Number(process.exitCode ?? 0), ...written }
  } finally {
    process.exitCode = before
  }
}

/** Appends to `written` what is written to the standard streams until `act` ends, instead of writing it. */
export async function capturing<T>(
  written: { stdout: string; stderr: string },
  act: () => Promise<T>,
): Promise<T> {
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk)
      return true
    }),
  )
  try {
    return await act()
  } finally {
    for (const stream of streams) stream.mockRestore()
  }
}
