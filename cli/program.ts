import { CommanderError } from 'commander'
import { errorMessage } from '../shared/values/index.ts'
import type { CommandEntry } from './command-entry.ts'
import { COMMANDS } from './commands/index.ts'
import { createProgram, prepareCommand } from './create-program.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { UsageError } from './usage.ts'

/**
 * Runs the command; errors are written to standard error.
 * @param args those after the program's name
 * @returns the exit code: 1 failed, 2 wrong use; none where the command has set it itself, or nothing was
 *   wrong
 */
export async function runProgram(
  args: readonly string[],
  commands: readonly CommandEntry[] = COMMANDS,
): Promise<number | undefined> {
  // Not only the first one, as in `sliceflow help run`.
  const program = await createProgram(commands, ({ name }) => args.includes(name))
  prepareCommand(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    return exitCodeOf(error)
  }
}

function exitCodeOf(error: unknown): number {
  // Commander has printed its own errors already; --help is one with code 0.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? EXIT_CODES.done.code : EXIT_CODES.wrongUse.code
  process.stderr.write(`sliceflow: ${errorMessage(error)}\n`)
  return error instanceof UsageError ? EXIT_CODES.wrongUse.code : EXIT_CODES.failed.code
}
