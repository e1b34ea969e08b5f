import { Command } from 'commander'
import { type CommandEntry, loadCommand } from './command-entry.ts'
import { helpText } from './options/help-text.ts'
import { findInstallation } from './package.ts'

/**
 * Creates the program with all commands.
 * @param isNeeded whether a command is needed with its flags and its action; the others have only what the
 *   help of the program says about them
 */
export async function createProgram(
  commands: readonly CommandEntry[],
  isNeeded: (entry: CommandEntry) => boolean = () => true,
): Promise<Command> {
  const program = new Command('sliceflow')
    .description('Reconciles Kubernetes EndpointSlices of many clusters from outside of them.')
    .version(findInstallation().version, '--version', 'print the version')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    // Of commander's own command help; ours have theirs.
    .commandsGroup('Other:')
    .addHelpText(
      'after',
      helpText(
        '\nRun sliceflow COMMAND --help for the details of a command. Exit codes: 0 done, 1 failed, 2 usage error.',
      ),
    )
  for (const entry of commands) {
    const command = isNeeded(entry) ? await loadCommand(entry, commands) : new Command()
    program.addCommand(command.name(entry.name).description(entry.summary).helpGroup(`${entry.group}:`))
  }
  return program
}

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
