import type { SQSRecord } from 'aws-lambda'
import pLimit from 'p-limit'
import { type KeyText, keyText } from '../../shared/changes/index.ts'
import {
  type DeadLetter,
  type DeadLetterSender,
  encodeMessage,
  type KeyMessage,
  type Log,
  type ReceivedMessages,
  type VisibilityChange,
} from '../../shared/queue/index.ts'
import { expireAfter, waitUntilAborted } from './batch-deadline.ts'
import { type BatchTask, receiveCountOf, sentTimestampOf } from './batch-task.ts'
import {
  backoffSeconds,
  classify,
  type FailedMessage,
  type Failure,
  type Verdict,
  type Verdicts,
} from './failures/index.ts'

export interface SettlementOptions {
  readonly verdicts: Verdicts<KeyText>
  readonly deadLetters: DeadLetterSender
  readonly visibility: Pick<ReceivedMessages, 'postpone'>
  readonly logger: Log
  /** Told of each letter that the dead letters have taken. */
  readonly onDeadLetter?: (letter: DeadLetter) => void
  /** Told of each key that is left in an outage. */
  readonly onLeft?: (key: KeyMessage) => void
}

/** By when, in milliseconds from the call. */
export interface SettlementTimes {
  readonly lettersMs: number
  readonly postponementsMs: number
}

/** Settles what failed. Returns the records that the queue keeps: they must be reported as failed. Never rejects. */
export type Settlement = (
  failures: ReadonlyMap<BatchTask, unknown>,
  times: SettlementTimes,
) => Promise<readonly SQSRecord[]>

/** Letters are small and rare; a batch of nothing else must not open a connection for each. */
export const LETTERS_AT_ONCE = 10

interface Failed {
  readonly task: BatchTask
  readonly failure: Failure
  readonly error: unknown
}

/** A message that goes back, and for how long. */
interface Return {
  readonly record: SQSRecord
  readonly seconds: number
}

/**
 * Settles the failed keys of a batch by their verdicts:
 * 1. letters are written; a key whose letter is not taken goes back;
 * 2. what goes back is postponed; what cannot be comes after its visibility timeout.
 */
export function createSettlement(options: SettlementOptions): Settlement {
  const { verdicts, visibility, logger } = options
  const limitLetters = pLimit(LETTERS_AT_ONCE)

  return async (failures, { lettersMs, postponementsMs }) => {
    using letters = expireAfter(lettersMs)
    using postponements = expireAfter(postponementsMs)
    const left: KeyMessage[] = []
    const settled = [...failures].map(async ([task, error]): Promise<readonly Return[]> => {
      const failed: Failed = { task, error, failure: classify(error) }
      const verdict = judge(verdicts, failed)
      if (verdict.otherwise === 'letter') {
        if (await limitLetters(() => writeLetter(failed, letters.signal, options))) return []
        return returnAll(task, verdict.seconds)
      }
      if (verdict.otherwise === 'outage' && task.message !== undefined) left.push(task.message)
      if (verdict.otherwise === undefined) logReturn(failed, verdict.seconds, logger)
      return verdict.back.map(({ record }) => ({ record, seconds: verdict.seconds }))
    })
    const returns = (await Promise.all(settled)).flat()
    tellLeft(left, options)
    await postpone(returns, postponements.signal)
    return returns.map(({ record }) => record)
  }

  async function postpone(returns: readonly Return[], signal: AbortSignal): Promise<void> {
    if (returns.length === 0) return
    const changes = returns.map(
      ({ record, seconds }): VisibilityChange => ({ receiptHandle: record.receiptHandle, seconds }),
    )
    try {
      await waitUntilAborted(visibility.postpone(changes, signal), signal)
    } catch (err) {
      logger.warn(
        { err, messages: changes.length },
        'failed messages come back after their visibility timeout only',
      )
    }
  }
}

interface FailedRecord extends FailedMessage {
  readonly record: SQSRecord
}

function judge(verdicts: Verdicts<KeyText>, { task, failure }: Failed): Verdict<FailedRecord> {
  const messages = task.records.map((record) => ({
    record,
    messageId: record.messageId,
    receiveCount: receiveCountOf(record),
  }))
  // A letter that was not taken: the message stays where it is, whatever it has been received for.
  if (task.message === undefined) {
    return { back: messages, seconds: backoffSeconds({ ...failure, receiveCount: highest(messages) }) }
  }
  return verdicts.judge({ key: keyText(task.message), messages, failure })
}

const highest = (messages: readonly FailedMessage[]): number =>
  Math.max(...messages.map(({ receiveCount }) => receiveCount))

const returnAll = ({ records }: BatchTask, seconds: number): readonly Return[] =>
  records.map((record) => ({ record, seconds }))

/** Whether the letter was taken. */
async function writeLetter(
  { task, failure }: Failed,
  signal: AbortSignal,
  { deadLetters, logger, onDeadLetter }: SettlementOptions,
): Promise<boolean> {
  const letter = letterOf(task, failure)
  let isTaken = false
  try {
    signal.throwIfAborted()
    const sent = deadLetters.send(letter, signal).then(() => {
      isTaken = true
    })
    await waitUntilAborted(sent, signal)
    signal.throwIfAborted()
  } catch (err) {
    logger.warn({ ...task.fields, err }, 'the dead letters did not take a key; it goes back to the queue')
  }
  if (!isTaken) return false
  const { failureClass, attempts, reason } = letter
  logger.error({ ...task.fields, class: failureClass, attempts, reason }, 'moved a key to the dead letters')
  onDeadLetter?.(letter)
  return true
}

function letterOf({ message, records }: BatchTask, { class: failureClass, reason }: Failure): DeadLetter {
  const [first] = records.toSorted((one, other) => sentTimestampOf(one) - sentTimestampOf(other))
  return {
    body: message === undefined ? (first?.body ?? '') : encodeMessage(message),
    failureClass,
    reason,
    ...(message && { key: message }),
    attempts: Math.max(...records.map(receiveCountOf)),
    sentTimestamp: first === undefined ? 0 : sentTimestampOf(first),
    messageId: first?.messageId ?? '',
    sourceQueueArn: first?.eventSourceARN ?? '',
  }
}

function logReturn({ task, failure, error: err }: Failed, retryInSeconds: number, logger: Log): void {
  const errorClass = err instanceof Error ? err.name : typeof err
  const receiveCount = Math.max(...task.records.map(receiveCountOf))
  const line = { ...task.fields, err, errorClass, class: failure.class, receiveCount, retryInSeconds }
  // The breaker has told of the cluster, once for all of its keys.
  if (failure.isOutage) logger.debug(line, 'did not handle a message; it goes back to the queue')
  else if (failure.disposition === 'retry')
    logger.warn(line, 'failed to handle a message; it goes back to the queue')
  else logger.error(line, 'failed to handle a message, and another attempt is not expected to succeed')
}

function tellLeft(keys: readonly KeyMessage[], { logger, onLeft }: SettlementOptions): void {
  for (const [cluster, some = []] of Map.groupBy(keys, (key) => key.cluster)) {
    logger.warn(
      { cluster, keys: some.length },
      'left keys whose receives are used up, as a cluster does not answer: the relay and the resync send them again',
    )
  }
  for (const key of keys) onLeft?.(key)
}
