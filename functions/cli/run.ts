import { homedir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { loadClusters } from '../../shared/kubernetes/index.ts'
import { createLogger, type Log } from '../../shared/telemetry/index.ts'
import { openQueues, type Queues, startEmbeddedQueues, startLocal } from '../local/index.ts'
import { addSettings, settingsOf } from './settings-options.ts'
import { untilTerminated } from './signals.ts'
import { UsageError } from './usage.ts'

const HELP = `
Prints one line that begins with "ready" on standard output once every cluster was listed; everything else goes to
standard error. A cluster that cannot be reached is tried again until it can; the others do not wait for it.
SIGTERM and SIGINT finish what is under way and end within 10 s; the next start looks at every Service again.

Examples:
  Services without a selector that carry the annotation sliceflow.dev/selector, in the current context's cluster:
    $ sliceflow run
  Two clusters:
    $ sliceflow run --kubeconfig fleet.yaml --context eu-1 --context us-1
  In place of the in-tree controller (started with --controllers=*,-endpointslice-controller):
    $ sliceflow run --mode replace --managed-by endpointslice-controller.k8s.io
  With queues of a deployment, or any server that speaks SQS' protocol:
    $ sliceflow run --queue https://sqs.eu-west-1.amazonaws.com/123456789012/live`

/** Time for the end: below the 10 s that are promised. */
const GRACE_MS = 8_000

interface RunOptions {
  readonly kubeconfig: string
  readonly context: readonly string[]
  readonly queue: string
  readonly sweepQueue?: string
  readonly logFormat: 'text' | 'json'
}

/** The `run` command: relay, queue and function on one machine, against real clusters. */
export function runCommand(): Command {
  const command = new Command('run')
    .description(
      'reconcile EndpointSlices of real clusters from this machine: relay, queue and function in one process',
    )
    .addOption(
      new Option('--kubeconfig <file>', 'where the clusters are')
        .env('KUBECONFIG')
        .default(join(homedir(), '.kube', 'config'), '~/.kube/config'),
    )
    .addOption(
      new Option(
        '--context <name>',
        'a context of it, a cluster each; may be repeated',
      )
        .argParser((name: string, names: string[]) => [...names, name])
        .default([], 'the current context'),
    )
    .option('--queue <url>', 'embedded, or the URL of the live lane’s queue', 'embedded')
    .option('--sweep-queue <url>', 'the URL of the sweep lane’s queue (default: the live lane’s)')
    .addOption(new Option('--log-format <format>', 'how to log').choices(['text', 'json']).default('text'))
    .addHelpText('after', HELP)
    .action((options: RunOptions & Record<string, unknown>) => run(options))
  return addSettings(command)
}

async function run(options: RunOptions & Record<string, unknown>): Promise<void> {
  const settings = settingsOf(options)
  const logger = createLogger({ format: options.logFormat })
  const clusters = await loadClusters(options.kubeconfig, options.context)
  const terminated = untilTerminated()
  const queues = await (options.queue === 'embedded'
    ? startEmbeddedQueues(settings)
    : openQueues(queueUrls(options), logger))
  const local = await startLocal({ clusters, queues, settings, logger })
  const names = clusters.map(({ name }) => name).join(', ')
  logger.info(
    { mode: settings.mode, managedBy: settings.managedBy, clusters: names },
    'started; waiting for the clusters',
  )
  void local.synced.then(() =>
    process.stdout.write(`ready: following ${clusters.length} clusters: ${names}\n`),
  )
  const signal = await terminated
  logger.info({ signal }, 'ending: sending what waits and finishing what runs')
  await local.stop(GRACE_MS)
  await stopQueues(queues, logger)
  // Calls to a cluster that hangs would keep the process for their whole timeout.
  process.exit(0)
}

async function stopQueues(queues: Queues, logger: Log): Promise<void> {
  await queues.stop().catch((err: unknown) => logger.warn({ err }, 'the queue did not end well'))
}

function queueUrls({ queue, sweepQueue }: RunOptions): { live: string; sweep?: string } {
  for (const [flag, url] of Object.entries({ '--queue': queue, '--sweep-queue': sweepQueue })) {
    if (url !== undefined && !URL.canParse(url)) {
      throw new UsageError(
        `${flag}: "${url}" is neither "embedded" nor a URL such as https://sqs.eu-west-1.amazonaws.com/123456789012/live`,
      )
    }
  }
  return { live: queue, ...(sweepQueue !== undefined && { sweep: sweepQueue }) }
}
