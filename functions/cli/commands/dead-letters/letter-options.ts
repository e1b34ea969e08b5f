import { didYouMean } from '../../../../shared/schema/index.ts'
import { assertRelay, readRelay } from '../../deployment/read-relay.ts'
import { readStack } from '../../deployment/read-stack.ts'
import { untilTerminated } from '../../signals.ts'
import { UsageError } from '../../usage.ts'
import type { NamedQueue } from './dead-letter-queues.ts'
import type { LetterFlags } from './flags.ts'
import { DeadLettersError, type LetterOptions } from './run.ts'
import { LETTER_CLASSES } from './scan.ts'

/** Finds the queues that flags name. @throws UsageError @throws DeadLettersError if a run reports none */
export async function optionsOf(flags: LetterFlags): Promise<LetterOptions> {
  const { queue, relay, stack, cluster, namespace, class: failureClass, force, output } = flags
  if (failureClass !== undefined && !LETTER_CLASSES.includes(failureClass))
    throw new UsageError(
      `--class: "${failureClass}" is not one of ${LETTER_CLASSES.join(', ')}${didYouMean(failureClass, LETTER_CLASSES)}`,
    )
  const queues = [
    ...queue.map((url) => ({ url })),
    ...(relay === undefined ? [] : await queuesOf(relay)),
    ...(stack === undefined ? [] : Object.values(await readStack(stack)).map((url) => ({ url }))),
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
