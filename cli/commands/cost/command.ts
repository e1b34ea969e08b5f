import type { Command } from 'commander'
import {
  type CostLine,
  DEFAULT_SIZE,
  type DeploymentSize,
  type Month,
  monthOf,
  PRICES_OF,
  type Term,
} from '../../../shared/costs/index.ts'
import { OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { type Flag, type Flags, type FlagValues, flag, number, valuesOf, whole } from '../../options/flags.ts'
import { deployCommand, dollarsText } from '../../simulate/text.ts'
import { fitted, type Terminal, terminalOf } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'

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

/** Default number of Pods per Service. */
const PODS_A_SERVICE = 20
/** Sizes of a task of Fargate, in 1/1024 vCPU. */
const TASK_CPUS: readonly number[] = [256, 512, 1024, 2048, 4096]

type SizeName = keyof typeof DEFAULT_SIZE
type NumberName = { [Name in SizeName]: (typeof DEFAULT_SIZE)[Name] extends number ? Name : never }[SizeName]

/** Declares a flag of a number, with its default. @param description default: it is a setting */
const sized = (
  name: NumberName,
  flags: string,
  parse: (text: string) => number,
  description = `the setting ${name} of the deployment`,
): Flag<number> => flag(flags, description, { parse, default: DEFAULT_SIZE[name] })

const required = { isRequired: true } as const

const SIZE = {
  clusters: flag('--clusters <n>', 'clusters', { ...required, parse: whole(1, 10_000) }),
  pods: flag('--pods <n>', 'Pods of all clusters together', { ...required, parse: whole(0, 100_000_000) }),
  changesPerSecond: flag(
    '--changes-per-second <n>',
    'changes of endpoints a second, of all clusters together: a Pod comes, goes, becomes ready or unready',
    { ...required, parse: number(0, 100_000) },
  ),
  services: flag(
    '--services <n>',
    `Services of all clusters together (default: one for ${PODS_A_SERVICE} Pods)`,
    { parse: whole(0, 100_000_000) },
  ),
  auditInterval: sized('auditInterval', '--audit-interval <seconds>', whole(600, 604_800)),
  functionMemory: sized('functionMemory', '--function-memory <mb>', whole(128, 10_240)),
  batchWindow: sized('batchWindow', '--batch-window <seconds>', whole(0, 300)),
  batchSize: sized('batchSize', '--batch-size <n>', whole(1, 10_000)),
  maximumConcurrency: sized('maximumConcurrency', '--maximum-concurrency <n>', whole(2, 1000)),
  minimumPollers: sized('minimumPollers', '--minimum-pollers <n>', whole(0, 200)),
  maximumPollers: sized('maximumPollers', '--maximum-pollers <n>', whole(0, 2000)),
  relayShards: sized('relayShards', '--relay-shards <n>', whole(1, 100)),
  relayCpu: sized('relayCpu', '--relay-cpu <units>', whole(1, 100_000)),
  relayMemory: sized('relayMemory', '--relay-memory <mb>', whole(512, 30_720)),
  tracing: flag('--tracing', 'the setting tracing of the deployment'),
  recording: sized('recording', '--recording <share>', number(0, 1)),
  logRetention: sized('logRetention', '--log-retention <days>', whole(1, 365)),
  natGateways: sized(
    'natGateways',
    '--nat-gateways <n>',
    whole(0, 3),
    'the prop natGateways of the deployment',
  ),
  canary: flag('--canary', 'the prop canary of the deployment'),
  standby: flag(
    '--standby',
    'the prop standby of the deployment: it costs this on top of the one it stands by for',
  ),
  vpcEndpoints: sized(
    'vpcEndpoints',
    '--vpc-endpoints <n>',
    whole(0, 50),
    'interface endpoints that it makes: ecr is 2, s3 and dynamodb 0',
  ),
  zones: sized('zones', '--zones <n>', whole(1, 6), 'zones in which each of these is'),
  encryptionKey: flag('--encryption-key', 'the prop encryptionKey of the deployment'),
  fleetClusters: sized('fleetClusters', '--fleet-clusters <n>', whole(0, 10_000), 'clusters in cluster sets'),
  fleetServices: sized(
    'fleetServices',
    '--fleet-services <n>',
    whole(0, 1_000_000),
    'Services that clusters export, each once however many export it',
  ),
  fleetChangesPerSecond: sized(
    'fleetChangesPerSecond',
    '--fleet-changes-per-second <n>',
    number(0, 100_000),
    'changes of exported endpoints a second, on top of --changes-per-second',
  ),
}
type SizeFlags = FlagValues<typeof SIZE>

/** Creates the `cost` command: the monthly cost of a deployment on AWS, and the formula for it. */
export const costCommand = (): Command =>
  createCommand({ help: HELP, groups: { SIZE, OUTPUT } }).action(async (flags: Flags) => {
    const given = valuesOf(flags, SIZE)
    const { output } = valuesOf(flags, OUTPUT)
    checkTask(given.relayCpu)
    checkSets(given)
    checkBatches(given)
    const services = given.services ?? Math.ceil(given.pods / PODS_A_SERVICE)
    const size: DeploymentSize = { ...DEFAULT_SIZE, ...given, services }
    const month = monthOf(size)
    // Loaded when it is needed: YAML would slow down every --help.
    const { reportText } = await import('../../output/print-report.ts')
    const describe = (): string =>
      `${describeMonth(month, terminalOf(process.stdout))}\n${deployCommand(changedSettings(size))}\n`
    process.stdout.write(reportText({ prices: PRICES_OF, size, ...month }, output, describe))
  })

/** @throws UsageError where Fargate has no such task */
function checkTask(relayCpu: number): void {
  const last = TASK_CPUS.at(-1)
  if (TASK_CPUS.includes(relayCpu)) return
  throw new UsageError(
    `--relay-cpu: Fargate has no task of ${relayCpu} CPU units; give ${TASK_CPUS.slice(0, -1).join(', ')} or ${last}`,
  )
}

/** @throws UsageError if Services are exported without an importing cluster */
function checkSets({ fleetClusters, fleetServices, fleetChangesPerSecond }: SizeFlags): void {
  if (fleetServices + fleetChangesPerSecond === 0 || fleetClusters > 0) return
  const flag = fleetServices > 0 ? '--fleet-services' : '--fleet-changes-per-second'
  throw new UsageError(`${flag}: say with --fleet-clusters how many clusters import the Services`)
}

/** @throws UsageError for batches and pollers that Lambda refuses */
function checkBatches(options: SizeFlags): void {
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

/** Describes the month for people: a line for each item with its formula, and below it the sources. */
function describeMonth({ lines, dollars }: Month, terminal: Terminal): string {
  const rows = [...lines, { what: 'sum', dollars, terms: [], why: '' }]
  const width = Math.max(...rows.map(({ what }) => what.length))
  const texts = rows.flatMap((line) => {
    const head = `${line.what.padEnd(width)}  ${dollarsText(line.dollars).padStart(10)}`
    if (line.terms.length === 0) return head
    const column = head.length + '  = '.length
    return [`${head}  = ${formulaOf(line)}`, ' '.repeat(column) + line.why].map((text) =>
      fitted(text, terminal, column),
    )
  })
  return [`A month in ${PRICES_OF.region}, by the list prices of ${PRICES_OF.date}:`, ...texts, ''].join('\n')
}

/** Formats terms such as `5.3 M requests × 0.5 $ + 1.31 M polls × 0.5 $`; those of 0 only if all are. */
export function formulaOf({ terms }: Pick<CostLine, 'terms'>): string {
  const some = terms.filter(({ quantity }) => quantity > 0)
  return (some.length > 0 ? some : terms.slice(0, 1)).map(termText).join(' + ')
}

const termText = ({ quantity, unit, price }: Term): string => `${quantityText(quantity)} ${unit} × ${price} $`

/** Formats a number with three digits, or with all digits before the decimal point if there are more. */
const quantityText = (quantity: number): string =>
  (quantity >= 100 ? Math.round(quantity) : Number(quantity.toPrecision(3))).toLocaleString('en-US', {
    maximumSignificantDigits: 15,
  })
