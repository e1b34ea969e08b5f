import { Command, CommanderError } from 'commander'
import { errorMessage } from '../../shared/values/index.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { helpText } from './output/help-text.ts'
import { findInstallation } from './package.ts'
import { prepareCommand } from './prepare-command.ts'
import { UsageError } from './usage.ts'

/**
 * The commands, in the order that the help has. A start loads the one that it runs, and all of them for the
 * help.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./commands/demo/command.ts')).demoCommand(),
  preflight: async () => (await import('./commands/preflight/command.ts')).preflightCommand(),
  run: async () => (await import('./commands/run/command.ts')).runCommand(),
  status: async () => (await import('./commands/status/command.ts')).statusCommand(),
  explain: async () => (await import('./commands/explain/command.ts')).explainCommand(),
  history: async () => (await import('./commands/history/command.ts')).historyCommand(),
  release: async () => (await import('./commands/release/command.ts')).releaseCommand(),
  offboard: async () => (await import('./commands/offboard/command.ts')).offboardCommand(),
  'dead-letters': async () => (await import('./commands/dead-letters/command.ts')).deadLettersCommand(),
  plan: async () => (await import('./commands/plan/command.ts')).planCommand(),
  simulate: async () => (await import('./commands/simulate/command.ts')).simulateCommand(),
  cost: async () => (await import('./commands/cost/command.ts')).costCommand(),
  views: async () => (await import('./commands/views/command.ts')).viewsCommand(),
  fleet: async () => (await import('./commands/fleet/command.ts')).fleetCommand(),
  rbac: async () => (await import('./commands/rbac/command.ts')).rbacCommand(),
  alerts: async () => (await import('./commands/alerts/command.ts')).alertsCommand(),
  version: async () => (await import('./commands/version/command.ts')).versionCommand(),
  completion: async () => (await import('./commands/completion/command.ts')).completionCommand(loadProgram),
  'control-plane': async () => (await import('./commands/control-plane/command.ts')).controlPlaneCommand(),
}

/**
 * Runs the command; errors are written to standard error.
 * @param args those after the program's name
 * @returns the exit code: 1 failed, 2 wrong use; none where the command has set it itself, or nothing was
 *   wrong
 */
export async function runProgram(args: readonly string[]): Promise<number | undefined> {
  const [wanted = ''] = args
  const program = await loadProgram(Object.hasOwn(COMMANDS, wanted) ? [wanted] : undefined)
  prepareCommand(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    return exitCodeOf(error)
  }
}

/** @param names of the commands that it has; default: all */
async function loadProgram(names: readonly string[] = Object.keys(COMMANDS)): Promise<Command> {
  const program = new Command('sliceflow')
    .description('Reconciles Kubernetes EndpointSlices of many clusters from outside of them.')
    .version(findInstallation().version, '--version', 'print the version')
    .addHelpText(
      'after',
      helpText(
        '\nRun sliceflow COMMAND --help for the details of a command. Exit codes: 0 done, 1 failed, 2 usage error.',
      ),
    )
  for (const name of names) {
    const command = await COMMANDS[name]?.()
    if (command !== undefined) program.addCommand(command)
  }
  return program
}

function exitCodeOf(error: unknown): number {
  // Commander has printed its own errors already; --help is one with code 0.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? EXIT_CODES.done.code : EXIT_CODES.wrongUse.code
  process.stderr.write(`sliceflow: ${errorMessage(error)}\n`)
  return error instanceof UsageError ? EXIT_CODES.wrongUse.code : EXIT_CODES.failed.code
}
