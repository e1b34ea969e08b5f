/**
 * The benches by name; without one, all but the race, the standby, the tenant, the recording and the
 * fleet.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'

/** Benches in the order in which they run. */
const BENCHES = {
  plan: 'plan() beside the in-tree controller’s library, on the same cases',
  views: 'what a change costs the engines of views',
  relay: 'a relay’s memory, processor time and delay, with large and with many clusters',
  batch: 'the memory that a batch of large Services of many clusters takes in a function',
  traces: 'what it costs relay and function to trace a change',
  bundle: 'size and import time of what is deployed on AWS',
  'control-plane': 'the embedded control plane beside kube-apiserver',
} as const

/** Those that run only by their names. */
const LONG = {
  race: 'the in-tree controller and Sliceflow in turn under load: 8 minutes a round',
  standby: 'how late changes are when a relay is killed beside a standby: 3 minutes',
  tenant: 'how late changes of 20 clusters are beside a hostile tenant of another: 5 minutes',
  recording:
    'what is simulated of recordings beside what happened, how quickly, and what recording costs: 10 minutes',
  fleet:
    'how late 5 clusters import changes of 500 exported Services, what that costs, and a restart: 5 minutes',
} as const

const mainOf = (name: string): string => `${name}/main.ts`

/** Runs one after the other. The first that fails is the last, and gives the exit code. */
async function runAll(): Promise<void> {
  for (const name of Object.keys(BENCHES)) {
    const path = fileURLToPath(new URL(mainOf(name), import.meta.url))
    const [code, signal] = await once(spawn(execPath, [path], { stdio: 'inherit' }), 'exit')
    if (code === 0) continue
    process.stderr.write(`the bench ${name} ended with ${signal ?? code}\n`)
    process.exit(code ?? 1)
  }
}

const program = new Command('npm run bench --')
  .description('Measures Sliceflow; --help after a name describes it.')
  .helpCommand(false)
  .addHelpText(
    'after',
    `
Examples:
  All but the race, the standby, the tenant, the recording and the fleet, one after the other:
    $ npm run bench
  One of them, with its options:
    $ npm run bench -- relay --scenario fleet
    $ npm run bench -- race --rounds 3 --only churn`,
  )
  .action(runAll)
for (const [name, description] of Object.entries({ ...BENCHES, ...LONG })) {
  program.command(name, description, { executableFile: mainOf(name) })
}
await program.parseAsync()
