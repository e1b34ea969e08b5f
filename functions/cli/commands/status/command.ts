import { Command, InvalidArgumentError, Option } from 'commander'
import { contextsOption } from '../../options/context.ts'
import type { Flags } from '../../options/flag-groups.ts'
import { addKubeconfig } from '../../options/kubeconfig.ts'
import { addNamespaces } from '../../options/namespace.ts'
import { outputOption } from '../../options/output.ts'
import { addSettings, PLAN_SETTINGS } from '../../options/settings.ts'
import { STACK_FLAG } from '../../options/stack.ts'
import { helpText } from '../../output/help-text.ts'

const HELP = `
Reads the clusters, and asks a run or relay and the queues if they are named. Nothing is written, but dead letters are hidden
from other readers while they are counted. With --relay the settings are those of that run; else
they must be those of \`run\` or of the deployment.

Exit code 1 when something is wrong: a cluster, relay or queue that cannot be read, Services that are out of date in both of two checks 3 s
apart, slices of ours whose Service is gone or that other settings left behind, Services that the in-tree controller manages as well, invalid annotations,
held plans, slices that somebody edits after every repair or that another controller writes, too, dead letters. -o json prints {version: 1, healthy, problems: [text], clusters, relay, queues}.

Examples:
  The current context's cluster, and a sample of its Services:
    $ sliceflow status
  Two clusters, every Service, and the run beside them (sliceflow run --metrics-port 9090):
    $ sliceflow status --context eu-1 --context us-1 --check --relay http://127.0.0.1:9090
  What waits in the queues of a deployment, by its stack:
    $ sliceflow status --stack Sliceflow
  … by the URLs of its queues; dead letters are found by the lanes' redrive policies:
    $ sliceflow status --queue https://sqs.eu-west-1.amazonaws.com/123456789012/live
  Before Sliceflow takes over: would it publish what the in-tree controller publishes?
    $ sliceflow status --check --shadow --mode replace`

/** Makes the `status` command: clusters, lag, queues and dead letters at a glance. */
export function statusCommand(): Command {
  const command = new Command()
    .addOption(contextsOption())
    .option('--check', 'plan every Service instead of a sample', false)
    .addOption(
      new Option('--sample <n>', 'number of Services to plan in each cluster').argParser(count).default(20),
    )
    .option(
      '--relay <url>',
      'a run, by the URL of its --metrics-port or by its --state-dir; both name its queues',
    )
    .option('--stack <name>', STACK_FLAG)
    .option('--queue <url>', 'URL of the live lane’s queue')
    .option('--sweep-queue <url>', 'URL of the sweep lane’s queue')
    .option(
      '--dead-letter-queue <url>',
      'URL of a dead-letter queue (default: those of the lanes that are given)',
    )
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async (flags: Flags, command: Command) => {
      // Loaded when it is needed: the API client and the AWS SDK would slow down every --help.
      const { runStatus } = await import('./run.ts')
      await runStatus(flags, command)
    })
  return addSettings(addKubeconfig(addNamespaces(command)), [...PLAN_SETTINGS, 'shadow'])
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.')
  return Number(text)
}
