import { Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_SIZE, type DeploymentSize, monthOf, PRICES_OF } from '../../../../shared/costs/index.ts'
import { deployCommand } from '../../../simulate/deploy-command.ts'
import { terminalOf } from '../../../terminal/index.ts'
import { type OutputFormat, outputOption } from '../../options/output.ts'
import { helpText } from '../../output/help-text.ts'
import { UsageError } from '../../usage.ts'
import { describeMonth } from './describe-month.ts'

const HELP = `
List prices of ${PRICES_OF.region}, ${PRICES_OF.date}. Asks neither AWS nor a cluster. Costs that depend on the load are an upper bound: each change counts as a message of its
own that is sent by itself, though changes of a Service within a coalescing window are one message. sliceflow simulate shows how
many messages a workload has, and how late a batch window makes them. Below the sum stands the command that deploys these settings.

Not in it: the clusters, and the audit logs of their API servers, which EKS writes to CloudWatch where that is on: some 1.5 kB for
each of two to four calls a change, 0.5 $ a GB, and more than all the rest of a busy deployment; data to the internet (another price than to a region), the views of a view publisher, keepState's file
system, secrets, what a KMS key is asked for logs and alarms, taxes, discounts and the free tier. Metrics of
failures are paid for in the hours that have some.

-o json prints one object: {prices: {date, region}, size: {…}, lines: [{what, terms: [{quantity, unit, price}], why, dollars}],
dollars}. A line is the sum of its terms, and a term its quantity times its price.

Examples:
  Three clusters with 3,000 Pods, of which one changes every two seconds:
    $ sliceflow cost --clusters 3 --pods 3000 --changes-per-second 0.5
  A fleet; what does it cost to record a tenth of its Services, and to audit them once a week?
    $ sliceflow cost --clusters 100 --pods 200000 --changes-per-second 55 --relay-shards 2 --recording 0.1 --audit-interval 604800
  The second one in a VPC without a way out (the vpcEndpoints sqs,logs,ecr,eks are 5), with a KMS key, and 500 Services
  exported to 20 of its clusters:
    $ sliceflow cost --clusters 100 --pods 200000 --changes-per-second 55 --relay-shards 2 --vpc-endpoints 5 --zones 3 --encryption-key --fleet-clusters 20 --fleet-services 500 --fleet-changes-per-second 4
  What does it save to gather messages for a second before the function is called?
    $ sliceflow cost --clusters 40 --pods 40000 --changes-per-second 20 --batch-window 1
  What does a standby of these in another region cost on top?
    $ sliceflow cost --clusters 40 --pods 40000 --changes-per-second 20 --standby
  What costs most?
    $ sliceflow cost --clusters 20 --pods 20000 --changes-per-second 5 -o json | jq -r '.lines | sort_by(-.dollars)[:3][].what'`

interface CostOptions extends Omit<DeploymentSize, 'services' | 'recordingRetention'> {
  readonly services?: number
  readonly output: OutputFormat
}

/** Default number of Pods per Service. */
const PODS_A_SERVICE = 20
/** Sizes of a task of Fargate, in 1/1024 vCPU. */
const TASK_CPUS: readonly number[] = [256, 512, 1024, 2048, 4096]

/** Creates the `cost` command: the monthly cost of a deployment on AWS, and the formula for it. */
export function costCommand(): Command {
  return new Command()
    .addOption(required('--clusters <n>', 'clusters', whole(1, 10_000)))
    .addOption(required('--pods <n>', 'Pods of all clusters together', whole(0, 100_000_000)))
    .addOption(
      required(
        '--changes-per-second <n>',
        'changes of endpoints a second, of all clusters together: a Pod comes, goes, becomes ready or unready',
        number(0, 100_000),
      ),
    )
    .option(
      '--services <n>',
      `Services of all clusters together (default: one for ${PODS_A_SERVICE} Pods)`,
      whole(0, 100_000_000),
    )
    .addOption(setting('--audit-interval <seconds>', whole(600, 604_800)))
    .addOption(setting('--function-memory <mb>', whole(128, 10_240)))
    .addOption(setting('--batch-window <seconds>', whole(0, 300)))
    .addOption(setting('--batch-size <n>', whole(1, 10_000)))
    .addOption(setting('--maximum-concurrency <n>', whole(2, 1000)))
    .addOption(setting('--minimum-pollers <n>', whole(0, 200)))
    .addOption(setting('--maximum-pollers <n>', whole(0, 2000)))
    .addOption(setting('--relay-shards <n>', whole(1, 100)))
    .addOption(setting('--relay-cpu <units>', whole(1, 100_000)))
    .addOption(setting('--relay-memory <mb>', whole(512, 30_720)))
    .option('--tracing', 'the setting tracing of the deployment', DEFAULT_SIZE.tracing)
    .addOption(setting('--recording <share>', number(0, 1)))
    .addOption(setting('--log-retention <days>', whole(1, 365)))
    .addOption(setting('--nat-gateways <n>', whole(0, 3)))
    .option('--canary', 'the prop canary of the deployment')
    .option(
      '--standby',
      'the prop standby of the deployment: it costs this on top of the one it stands by for',
    )
    .addOption(
      counted('--vpc-endpoints <n>', 'interface endpoints that it makes: ecr is 2, s3 and dynamodb 0', 50),
    )
    .addOption(counted('--zones <n>', 'zones in which each of these is', 6))
    .option('--encryption-key', 'the prop encryptionKey of the deployment')
    .addOption(counted('--fleet-clusters <n>', 'clusters in cluster sets', 10_000))
    .addOption(
      counted(
        '--fleet-services <n>',
        'Services that clusters export, each once however many export it',
        1_000_000,
      ),
    )
    .addOption(
      new Option(
        '--fleet-changes-per-second <n>',
        'changes of exported endpoints a second, on top of --changes-per-second',
      )
        .argParser(number(0, 100_000))
        .default(DEFAULT_SIZE.fleetChangesPerSecond),
    )
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async ({ output, ...options }: CostOptions) => {
      checkTask(options.relayCpu)
      checkSets(options)
      checkBatches(options)
      const services = options.services ?? Math.ceil(options.pods / PODS_A_SERVICE)
      const size = { ...DEFAULT_SIZE, ...options, services }
      const month = monthOf(size)
      // Loaded when it is needed: YAML would slow down every --help.
      const { documentText } = await import('../../output/print-report.ts')
      process.stdout.write(
        output === 'text'
          ? `${describeMonth(month, terminalOf(process.stdout))}\n${deployCommand(changedSettings(size))}\n`
          : documentText({ prices: PRICES_OF, size, ...month }, output),
      )
    })
}

const required = (flags: string, description: string, parse: (text: string) => number): Option =>
  new Option(flags, description).argParser(parse).makeOptionMandatory()

/** @throws UsageError where Fargate has no such task */
function checkTask(relayCpu: number): void {
  const last = TASK_CPUS.at(-1)
  if (TASK_CPUS.includes(relayCpu)) return
  throw new UsageError(
    `--relay-cpu: Fargate has no task of ${relayCpu} CPU units; give ${TASK_CPUS.slice(0, -1).join(', ')} or ${last}`,
  )
}

/** @throws UsageError if Services are exported without an importing cluster */
function checkSets({
  fleetClusters,
  fleetServices,
  fleetChangesPerSecond,
}: Omit<CostOptions, 'output'>): void {
  if (fleetServices + fleetChangesPerSecond === 0 || fleetClusters > 0) return
  const flag = fleetServices > 0 ? '--fleet-services' : '--fleet-changes-per-second'
  throw new UsageError(`${flag}: say with --fleet-clusters how many clusters import the Services`)
}

/** @throws UsageError for batches and pollers that Lambda refuses */
function checkBatches(options: Omit<CostOptions, 'output'>): void {
  const { batchSize, batchWindow, minimumPollers, maximumPollers, maximumConcurrency } = options
  if (batchSize > DEFAULT_SIZE.batchSize && batchWindow === 0)
    throw new UsageError(`--batch-size ${batchSize}: above 10 Lambda needs a window; add --batch-window 1`)
  if (maximumPollers > 0 !== minimumPollers > 0 || minimumPollers > maximumPollers)
    throw new UsageError(
      '--minimum-pollers and --maximum-pollers: give both, the second no less than the first, or neither',
    )
  if (maximumPollers > 0 && maximumConcurrency !== DEFAULT_SIZE.maximumConcurrency)
    throw new UsageError('--maximum-concurrency: provisioned pollers bound the calls; leave it out')
}

/** Settings of a deployment, as `--set` takes them. */
const DEPLOYED = [
  ...(['auditInterval', 'functionMemory', 'batchWindow', 'batchSize', 'maximumConcurrency'] as const),
  ...(['minimumPollers', 'maximumPollers', 'relayShards', 'relayCpu', 'relayMemory'] as const),
  ...(['tracing', 'recording', 'recordingRetention', 'logRetention'] as const),
]

const changedSettings = (size: DeploymentSize): Readonly<Record<string, number | boolean>> =>
  Object.fromEntries(
    DEPLOYED.filter((name) => size[name] !== DEFAULT_SIZE[name]).map((name) => [name, size[name]]),
  )

/** Makes a flag of a number that no single setting gives, with its default. */
function counted(flags: string, description: string, most: number): Option {
  const option = new Option(flags, description)
  const name = option.attributeName() as 'vpcEndpoints' | 'zones' | 'fleetClusters' | 'fleetServices'
  const usual = DEFAULT_SIZE[name]
  return option.argParser(whole(Math.min(1, usual), most)).default(usual)
}

/** Makes a flag of a setting of the deployment, with its default. */
function setting(flags: string, parse: (text: string) => number): Option {
  const option = new Option(flags)
  const name = option.attributeName() as Exclude<
    keyof typeof DEFAULT_SIZE,
    'canary' | 'encryptionKey' | 'standby' | 'tracing'
  >
  option.description = `the ${name === 'natGateways' ? 'prop' : 'setting'} ${name} of the deployment`
  return option.argParser(parse).default(DEFAULT_SIZE[name])
}

function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be a number, ${least} to ${most}.`)
    return value
  }
}

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number, ${least} to ${most}.`)
    return value
  }
}
