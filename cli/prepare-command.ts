import type { Command } from 'commander'
import { EXIT_CODES } from './exit-codes.ts'

/** The flags of `run` take 40 columns of a terminal of 80; what they mean is wrapped in the others. */
const NARROWEST = 30

/** Makes a command and those below it throw instead of exit, name --help in errors, and wrap their help. */
export function prepareCommand(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ ...command.configureHelp(), minWidthToWrap: NARROWEST })
  for (const one of command.commands) prepareCommand(one)
}

/**
 * Ends the process when its reader closes the pipe, as `head` does: that is no failure. So does output that
 * cannot be written, which is one.
 */
export function endWithReader(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit()
    process.stderr.write(`sliceflow: failed to write to standard output: ${message}\n`)
    process.exit(EXIT_CODES.failed.code)
  })
  // A log that cannot be written, as on a full disk, cannot be reported: what runs goes on without it.
  process.stderr.on('error', () => undefined)
}
