import { Command } from 'commander'
import { queueUrl } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { addFlags, type FlagValues, flag, whole } from '../../options/flags.ts'
import { UsageError } from '../../usage.ts'
import { FLAGS, type LetterFlags } from './flags.ts'

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

const DEFAULT_RATE = 50
const MAX_RATE = 1_000

const REDRIVE = {
  to: flag('--to <url>', 'send all of them to this queue instead', { parse: queueUrl }),
  rate: flag('--rate <n>', `dead letters a second, 1 to ${MAX_RATE}`, {
    parse: whole(1, MAX_RATE),
    default: DEFAULT_RATE,
  }),
}
const DROP = {
  all: flag('--all', 'drop all of them; needed if none of --cluster, --namespace and --class is given'),
}
/** Makes the `dead-letters` command: list, redrive and drop. */
export const deadLettersCommand = (): Command =>
  createCommand({ help: HELP })
    .addCommand(
      subcommand('list', 'show dead letters and change nothing').action(async (flags: LetterFlags) => {
        const { listLetters, optionsOf } = await load()
        await listLetters(await optionsOf(flags))
      }),
    )
    .addCommand(
      addFlags(subcommand('redrive', 'send keys back to the lane that they came from'), REDRIVE).action(
        async (flags: LetterFlags & FlagValues<typeof REDRIVE>) => {
          const { redriveLetters, optionsOf } = await load()
          await redriveLetters(await optionsOf(flags), flags)
        },
      ),
    )
    .addCommand(
      addFlags(subcommand('drop', 'delete dead letters'), DROP).action(
        async (flags: LetterFlags & FlagValues<typeof DROP>) => {
          const selected = [flags.cluster, flags.namespace, flags.class]
          if (!flags.all && selected.every((value) => value === undefined))
            throw new UsageError(
              'drop: select dead letters with --cluster, --namespace or --class, or all of them with --all',
            )
          const { dropLetters, optionsOf } = await load()
          await dropLetters(await optionsOf(flags))
        },
      ),
    )

const subcommand = (name: string, description: string): Command =>
  addFlags(new Command(name).description(description), FLAGS)

/** The AWS SDK would slow down every --help. */
const load = () => import('./run.ts')
