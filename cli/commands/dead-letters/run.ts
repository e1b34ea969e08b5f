import { createQueueClient } from '../../../shared/queue/index.ts'
import { didYouMean } from '../../../shared/schema/index.ts'
import { createLogger, type Log } from '../../../shared/telemetry/index.ts'
import { assertRelay, readRelay } from '../../deployment/read-relay.ts'
import { readStack } from '../../deployment/read-stack.ts'
import type { OutputFormat } from '../../options/common.ts'
import { entryText, Progress, printReport } from '../../output/print-report.ts'
import { untilTerminated } from '../../signals.ts'
import { counted } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import { type NamedQueue, openBoxes } from './dead-letter-queues.ts'
import type { LetterFlags } from './flags.ts'
import { documentOf, table } from './output.ts'
import { createRedrive, NONE, type RedriveResult } from './redrive.ts'
import { LETTER_CLASSES, type LetterFilter, matches, type QueuedLetter, type Scan, scanBox } from './scan.ts'

export interface LetterOptions {
  /** Default: all letters. */
  readonly filter?: LetterFilter
  readonly queues: readonly NamedQueue[]
  /** Whether queues are taken that are the dead-letter target of no other; default false. */
  readonly force?: boolean
  readonly output: OutputFormat
  /** Seconds to ask for more letters until there are none; default 1, which asks all of SQS' servers. */
  readonly waitSeconds?: number
  /** Its abort ends the work in order: every letter that was only read is visible again. */
  readonly signal: AbortSignal
}

/** Some letters could not be dealt with; they are still there. */
export class DeadLettersError extends Error {
  override readonly name = 'DeadLettersError'
}

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
    force,
    signal: ending.signal,
    filter: { cluster, namespace, failureClass },
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
  if (lanes === undefined && error !== undefined) throw new DeadLettersError(`relay ${relay}: ${error}`)
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

const write = (text: string): void => void process.stdout.write(text)
const logger = (): Log => createLogger({ format: 'text', write: complain })
const complain = (text: string): void => void process.stderr.write(text)

/** Reads all dead-letter queues, passes matching letters to `work`, and makes the others visible again. */
async function eachLetter(
  options: LetterOptions,
  logger: Log,
  work: (letters: readonly QueuedLetter[], scan: Scan, progress: Progress) => Promise<void>,
): Promise<number> {
  const { queues, force, filter = {}, signal, waitSeconds } = options
  const progress = new Progress()
  let read = 0
  let matched = 0
  const kinds = new Set<string>()
  const boxes = await openBoxes(queues, { logger, force })
  using ending = new DisposableStack()
  for (const { client } of boxes) ending.defer(() => client.destroy())
  for (const box of boxes) {
    const scan = scanBox(box, waitSeconds)
    try {
      for await (const letters of scan.letters(signal)) {
        read += letters.length
        progress.report(`read ${counted(read, 'dead letter')}`)
        const wanted = letters.filter(matches(filter))
        matched += wanted.length
        noteKinds(kinds, letters, filter)
        await work(wanted, scan, progress)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await scan.release()
    }
  }
  if (read > 0 && matched === 0 && !signal.aborted)
    throw new DeadLettersError(
      `none of ${counted(read, 'dead letter')} is of that ${namesOf(filter)}; there are: ${[...kinds].sort().join(', ')}`,
    )
  return read
}

/** Kinds of letters named in an error. */
const MAX_NAMED = 10

/** Adds the kinds of letters, no more of them than an error names: a message may name any cluster. */
function noteKinds(kinds: Set<string>, letters: readonly QueuedLetter[], filter: LetterFilter): void {
  for (const letter of letters) if (kinds.size < MAX_NAMED) kinds.add(describeLetter(letter, filter))
}

/** Names of what letters are filtered by, the namespace only where one was asked for. */
const namesOf = ({ namespace }: LetterFilter): string =>
  namespace === undefined ? 'cluster and class' : 'cluster, namespace and class'

function describeLetter({ message, failureClass }: QueuedLetter, { namespace }: LetterFilter): string {
  const cluster = message?.cluster ?? 'no cluster'
  const place = namespace === undefined ? cluster : `${cluster}/${message?.namespace ?? 'no namespace'}`
  return `${place} (${failureClass ?? 'no class'})`
}

/** Shows letters and changes none. */
export async function listLetters(options: LetterOptions): Promise<void> {
  const { output } = options
  const found: QueuedLetter[] = []
  await eachLetter(options, logger(), async (letters) => {
    if (output === 'text') found.push(...letters)
    else write(letters.map((letter) => entryText(documentOf(letter), output)).join(''))
  })
  if (output !== 'text') return
  if (found.length > 0) write(table(found, Date.now()))
  else complain('no dead letters\n')
}

export interface RedriveTarget {
  /** Letters a second. */
  readonly rate: number
  /** Queue for all of them; default: the lane that each came from. */
  readonly to?: string
}

/**
 * Sends keys back to their lanes.
 * @throws DeadLettersError when letters are left that have no lane, or that their lane did not take
 */
export async function redriveLetters(options: LetterOptions, { rate, to }: RedriveTarget): Promise<void> {
  const log = logger()
  const { signal, output } = options
  const target = to === undefined ? undefined : await createQueueClient(to)
  const lane = target && to !== undefined && { to: { client: target, queueUrl: to } }
  const redrive = createRedrive({ rate, logger: log, signal, ...lane })
  const total = { ...NONE }
  let read = 0
  try {
    read = await eachLetter(options, log, async (letters, scan, progress) => {
      const result = await redrive(letters, scan)
      for (const name of Object.keys(total) as (keyof RedriveResult)[]) total[name] += result[name]
      progress.report(`redrove ${counted(total.redriven, 'dead letter')}`)
    })
  } finally {
    target?.destroy()
  }
  const left = read - total.redriven
  printReport(
    { ...total, left },
    output,
    () =>
      `redrove ${counted(total.redriven, 'dead letter')}, ${left} ${left === 1 ? 'remains' : 'remain'}${reasons(total)}\n`,
  )
  if (total.withoutLane > 0)
    throw new DeadLettersError(
      `${counted(total.withoutLane, 'dead letter')} without a lane, or with one that is not there: name the lane with --to, or give its URL as --queue`,
    )
  if (total.refused > 0)
    throw new DeadLettersError(`the queue rejected ${counted(total.refused, 'dead letter')}: try again`)
}

function reasons({ malformed, newer }: RedriveResult): string {
  const reason = (count: number, why: string): string =>
    count === 0 ? '' : `; ${count} of them cannot be redriven, because ${why}`
  return [
    reason(malformed, 'their bodies are not messages: drop them'),
    reason(newer, 'a later version of Sliceflow sent them: use its command'),
  ].join('')
}

/** Deletes letters. */
export async function dropLetters(options: LetterOptions): Promise<void> {
  let dropped = 0
  const read = await eachLetter(options, logger(), async (letters, scan, progress) => {
    await scan.delete(letters)
    dropped += letters.length
    progress.report(`dropped ${counted(dropped, 'dead letter')}`)
  })
  const left = read - dropped
  printReport(
    { dropped, left },
    options.output,
    () => `dropped ${counted(dropped, 'dead letter')}, left ${left}\n`,
  )
}
