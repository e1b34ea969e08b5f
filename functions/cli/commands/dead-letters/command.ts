import { Command, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../../../../shared/schema/index.ts'
import type { NamespaceFlags } from '../../options/flag-groups.ts'
import { addNamespaces } from '../../options/namespace.ts'
import { type OutputFormat, outputOption } from '../../options/output.ts'
import { STACK_FLAG } from '../../options/stack.ts'
import { assertUrl } from '../../options/url.ts'
import { helpText } from '../../output/help-text.ts'
import { untilTerminated } from '../../signals.ts'
import { UsageError } from '../../usage.ts'
import type { NamedQueue } from './dead-letter-queues.ts'
import type { LetterOptions } from './run.ts'

const HELP = `
A dead letter is a key that was given up, with its cluster, class, attempts and last error. Classes: Forbidden, Unauthorized,
Invalid, NotServed, UnknownCluster, Unreachable, Timeout, Throttled, ServerError, Conflict, MalformedMessage, Unexpected, and
Unfinished for messages that the queue itself moved because the function never finished them.
Nothing is lost while dead letters wait: the relay sends every key whose slices are not right again.

Examples:
  The dead letters of all lanes of a run (sliceflow run --metrics-port 9090):
    $ sliceflow dead-letters list --relay http://127.0.0.1:9090
  The dead letters of a deployment, by its stack:
    $ sliceflow dead-letters list --stack Sliceflow
  … by the URLs of both lanes:
    $ sliceflow dead-letters list --queue https://sqs.eu-west-1.amazonaws.com/123456789012/live \\
        --queue https://sqs.eu-west-1.amazonaws.com/123456789012/sweep
  Send keys back after a ClusterRole was fixed, ten a second:
    $ sliceflow dead-letters redrive --queue URL --cluster prod-eu --class Forbidden --rate 10
  The same for the Services of one namespace, in all clusters:
    $ sliceflow dead-letters redrive --queue URL -n shop
  Delete the dead letters of a cluster that no longer exists:
    $ sliceflow dead-letters drop --queue URL --cluster prod-us`

interface Flags extends NamespaceFlags {
  readonly queue: readonly string[]
  readonly relay?: string
  readonly stack?: string
  readonly cluster?: string
  readonly class?: string
  readonly force?: true
  readonly output: OutputFormat
}

const DEFAULT_RATE = 50
const MAX_RATE = 1_000

/** Makes the `dead-letters` command: list, redrive and drop. */
export function deadLettersCommand(): Command {
  const command = new Command()
  command.addCommand(listCommand()).addCommand(redriveCommand()).addCommand(dropCommand())
  return command.addHelpText('after', helpText(HELP))
}

function listCommand(): Command {
  return withFlags(new Command('list').description('show dead letters and change nothing')).action(
    async (flags: Flags) => {
      const { listLetters } = await import('./run.ts')
      await listLetters(await optionsOf(flags))
    },
  )
}

function redriveCommand(): Command {
  const command = new Command('redrive').description('send keys back to the lane that they came from')
  return withFlags(command)
    .option('--to <url>', 'send all of them to this queue instead')
    .addOption(
      new Option('--rate <n>', `dead letters a second, 1 to ${MAX_RATE}`)
        .argParser(parseRate)
        .default(DEFAULT_RATE),
    )
    .action(async ({ to, rate, ...flags }: Flags & { to?: string; rate: number }) => {
      const { redriveLetters } = await import('./run.ts')
      if (to !== undefined) assertUrl('--to', to)
      await redriveLetters(await optionsOf(flags), { rate, ...(to !== undefined && { to }) })
    })
}

function dropCommand(): Command {
  return withFlags(new Command('drop').description('delete dead letters'))
    .option('--all', 'drop all of them; needed if none of --cluster, --namespace and --class is given', false)
    .action(async ({ all, ...flags }: Flags & { all: boolean }) => {
      const selected = [flags.cluster, flags.namespace, flags.class]
      if (!all && selected.every((value) => value === undefined))
        throw new UsageError(
          'drop: select dead letters with --cluster, --namespace or --class, or all of them with --all',
        )
      const { dropLetters } = await import('./run.ts')
      await dropLetters(await optionsOf(flags))
    })
}

function withFlags(command: Command): Command {
  return addNamespaces(command)
    .addOption(
      new Option('--queue <url>', 'a lane’s queue or its dead-letter queue; may be repeated')
        .argParser((url: string, urls: string[]) => [...urls, url])
        .default([], 'the lanes that --relay and --stack report'),
    )
    .option(
      '--relay <url>',
      'a run, by the URL of its --metrics-port or by its --state-dir: the queues of all of its lanes',
    )
    .option('--stack <name>', STACK_FLAG)
    .option('--cluster <name>', 'only dead letters of this cluster, by its name in messages')
    .option('--force', 'take a queue that is the dead-letter target of no other for a dead-letter queue')
    .option('--class <class>', 'only dead letters of this class')
    .addOption(outputOption('what to print on standard output'))
}

async function optionsOf(flags: Flags): Promise<LetterOptions> {
  const { LETTER_CLASSES } = await import('./filter.ts')
  const { queue, relay, stack, cluster, namespace, class: failureClass, force, output } = flags
  for (const url of queue) assertUrl('--queue', url)
  if (failureClass !== undefined && !LETTER_CLASSES.includes(failureClass))
    throw new UsageError(
      `--class: "${failureClass}" is not one of ${LETTER_CLASSES.join(', ')}${didYouMean(failureClass, LETTER_CLASSES)}`,
    )
  const queues = [
    ...queue.map((url) => ({ url })),
    ...(relay === undefined ? [] : await queuesOf(relay)),
    ...(stack === undefined ? [] : await queuesOfStack(stack)),
  ]
  if (queues.length === 0)
    throw new UsageError(
      'name the queues: --relay with the URL of a run, --stack with the name of a deployment’s stack, or --queue with the URL of each lane',
    )
  const ending = new AbortController()
  void untilTerminated().then(() => ending.abort())
  return {
    queues,
    output,
    ...(force && { force }),
    signal: ending.signal,
    filter: {
      ...(cluster !== undefined && { cluster }),
      ...(namespace !== undefined && { namespace }),
      ...(failureClass !== undefined && { failureClass }),
    },
  }
}

/**
 * Finds the dead-letter queue of each lane that has one.
 * @throws UsageError
 * @throws DeadLettersError if the run does not report them
 */
async function queuesOf(relay: string): Promise<NamedQueue[]> {
  const [{ assertRelay, readRelay }, { DeadLettersError }] = await Promise.all([
    import('../../deployment/read-relay.ts'),
    import('./run.ts'),
  ])
  assertRelay(relay)
  const { error, lanes } = await readRelay(relay)
  if (error !== undefined) throw new DeadLettersError(`relay ${relay}: ${error}`)
  if (lanes === undefined)
    throw new DeadLettersError(
      `relay ${relay} does not report its queues: give the URL of each lane as --queue`,
    )
  const queues = lanes.flatMap(({ queue, deadLetters }) =>
    deadLetters === undefined ? [] : [{ url: deadLetters, laneUrl: queue }],
  )
  if (queues.length > 0) return queues
  throw new DeadLettersError(
    `relay ${relay}: its queues have no dead letters, as they have no redrive policy`,
  )
}

async function queuesOfStack(stack: string): Promise<NamedQueue[]> {
  const { readStack } = await import('../../deployment/read-stack.ts')
  return Object.values(await readStack(stack)).map((url) => ({ url }))
}

function parseRate(text: string): number {
  const rate = Number(text)
  if (!/^\d+$/.test(text) || rate < 1 || rate > MAX_RATE)
    throw new InvalidArgumentError(`It must be 1 to ${MAX_RATE}.`)
  return rate
}
