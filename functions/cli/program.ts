import { Command, CommanderError } from 'commander'
import { findInstallation } from './package.ts'
import { endWithReader, prepareCommand } from './prepare-command.ts'
import { UsageError } from './usage.ts'

const FAILED = 1
const WRONG_USE = 2

/** The commands, in the order that the help has. A start loads the one that it runs, and all of them for the help. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo.ts')).demoCommand(),
  run: async () => (await import('./run.ts')).runCommand(),
  status: async () => (await import('./status.ts')).statusCommand(),
  explain: async () => (await import('./explain.ts')).explainCommand(),
  history: async () => (await import('./history.ts')).historyCommand(),
  release: async () => (await import('./release.ts')).releaseCommand(),
  offboard: async () => (await import('./offboard.ts')).offboardCommand(),
  'dead-letters': async () => (await import('./dead-letters.ts')).deadLettersCommand(),
  plan: async () => (await import('./plan.ts')).planCommand(),
  simulate: async () => (await import('./simulate.ts')).simulateCommand(),
  views: async () => (await import('./views.ts')).viewsCommand(),
  rbac: async () => (await import('./rbac.ts')).rbacCommand(),
  'control-plane': async () => (await import('./control-plane.ts')).controlPlaneCommand(),
}

const program = new Command('sliceflow')
  .description('Reconciles Kubernetes EndpointSlices of many clusters from outside of them.')
  .version(findInstallation().version, '--version', 'print the version')
  .addHelpText(
    'after',
    '\nsliceflow COMMAND --help tells more of each. Exit codes: 0 done, 1 failed, 2 wrong use.',
  )

const [wanted = ''] = process.argv.slice(2)
const commands = Object.hasOwn(COMMANDS, wanted) ? [COMMANDS[wanted]] : Object.values(COMMANDS)
for (const load of commands) if (load) program.addCommand(await load())

prepareCommand(program)
endWithReader()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}

function exitCodeOf(error: unknown): number {
  // Commander has told its own errors already; --help is one with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE
  process.stderr.write(`sliceflow: ${error instanceof Error ? error.message : String(error)}\n`)
  return error instanceof UsageError ? WRONG_USE : FAILED
}
