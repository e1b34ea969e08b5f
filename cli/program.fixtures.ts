import type { Command } from 'commander'
import { vi } from 'vitest'
import { loadCommand } from './command-entry.ts'
import { COMMANDS } from './commands/index.ts'
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

/** Loads a command with its action. */
export function commandNamed(name: string): Promise<Command> {
  const entry = COMMANDS.find((each) => each.name === name)
  if (entry === undefined) throw new Error(`there is no command ${name}`)
  return loadCommand(entry, COMMANDS)
}

/** Runs one command in this process; its errors are thrown. @param name of the command */
export async function ranBy(name: string, ...args: readonly string[]): Promise<Ran> {
  const command = await commandNamed(name)
  for (const one of [command, ...command.commands])
    one.exitOverride().configureOutput({ writeErr: () => undefined })
  return runHere(async () => {
    await command.parseAsync(args, { from: 'user' })
    return undefined
  })
}

/** The same where only standard output matters. */
export const outputOf = async (name: string, ...args: readonly string[]): Promise<string> =>
  (await ranBy(name, ...args)).stdout

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Runs a program in this process. @param run gives the exit code; by default it is that of the process */
export async function runHere(run: () => Promise<number | undefined>): Promise<Ran> {
  const before = process.exitCode
  const listeners = SIGNALS.map((signal) => process.listeners(signal))
  process.exitCode = undefined
  const written = { stdout: '', stderr: '' }
  try {
    const code = await capturing(written, run)
    return { code: code ?? Number(process.exitCode ?? 0), ...written }
  } finally {
    process.exitCode = before
    // A command that fails early still waits for a signal.
    for (const [index, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal))
        if (listeners[index]?.includes(listener) !== true) process.off(signal, listener)
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
