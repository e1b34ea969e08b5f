import type { Command } from 'commander'

/** The flags of `run` take 40 columns of a terminal of 80; what they mean is wrapped in the others. */
const NARROWEST = 30

/**
 * Makes a command and those below it throw where they would exit, name --help in errors, and wrap their help.
 */
export function prepareCommand(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ ...command.configureHelp(), minWidthToWrap: NARROWEST })
  for (const one of command.commands) prepareCommand(one)
}

/** Ends the process when its reader closes the pipe, as `head` does: that is no failure. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
