import { Command, CommanderError } from 'commander'
import { controlPlaneCommand } from './control-plane.ts'
import { deadLettersCommand } from './dead-letters.ts'
import { demoCommand } from './demo.ts'
import { explainCommand } from './explain.ts'
import { offboardCommand } from './offboard.ts'
import { planCommand } from './plan.ts'
import { rbacCommand } from './rbac.ts'
import { releaseCommand } from './release.ts'
import { runCommand } from './run.ts'
import { statusCommand } from './status.ts'
import { UsageError } from './usage.ts'
import { viewsCommand } from './views.ts'

const FAILED = 1
const WRONG_USE = 2

const program = new Command('sliceflow')
  .description('Reconciles Kubernetes EndpointSlices of many clusters from outside of them.')
  .addCommand(demoCommand())
  .addCommand(runCommand())
  .addCommand(statusCommand())
  .addCommand(explainCommand())
  .addCommand(releaseCommand())
  .addCommand(offboardCommand())
  .addCommand(deadLettersCommand())
  .addCommand(planCommand())
  .addCommand(viewsCommand())
  .addCommand(rbacCommand())
  .addCommand(controlPlaneCommand())
  .addHelpText(
    'after',
    '\nsliceflow COMMAND --help tells more of each. Exit codes: 0 done, 1 failed, 2 wrong use.',
  )

for (const command of [program, ...program.commands])
  command.exitOverride().showHelpAfterError('(--help tells more)')

// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

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
