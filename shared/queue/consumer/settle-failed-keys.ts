import type { SQSRecord } from 'aws-lambda'
import pLimit, { type LimitFunction } from 'p-limit'
import { type KeyText, keyFields, keyText } from '../../changes/index.ts'
import type { Log } from '../../telemetry/index.ts'
import {
  type DeadLetter,
  type DeadLetterSender,
  encodeMessage,
  type KeyMessage,
  parseMessage,
  type ReceivedMessages,
  type VisibilityChange,
} from '../index.ts'
import { expireAfter, waitUntilAborted } from './deadline.ts'
import { backoffSeconds } from './failures/backoff.ts'
import { classify, type Failure } from './failures/classify-error.ts'
import type { FailedMessage, Redelivery } from './failures/redelivery-or-dead-letter.ts'

/** One key of a batch with all its messages, or one message that is none; succeeds or fails as a whole. */
export interface BatchTask {
  /** Bounds how many tasks of its kind run at once; tasks with different limits never wait for each other. */
  readonly limit: LimitFunction
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly records: readonly SQSRecord[]
  /** Absent for a message that could not be read. */
  readonly message?: KeyMessage
  /** Fields of its log lines; never the body. */
  readonly fields: object
}

export interface SettlementOptions {
  readonly redelivery: Redelivery<KeyText>
  /** Sender for keys that are given up, and for bodies that are no messages. */
  readonly deadLetters: DeadLetterSender
  /** Sets when failed messages come back; of the queue that the function's events come from. */
  readonly visibility: Pick<ReceivedMessages, 'postpone'>
  readonly logger: Log
  /** Called with each dead letter that the queue has taken. */
  readonly onDeadLetter?: (letter: DeadLetter) => void
  /** Called with each key that was neither handled nor sent back, as a cluster has not answered for long. */
  readonly onLeft?: (key: KeyMessage) => void
}

/** Times by which steps must end, in milliseconds from the call. */
interface SettlementTimes {
  readonly deadLettersMs: number
  readonly postponementsMs: number
}

/** Settles failed keys. Returns the records to report as failed, which stay in the queue. Never rejects. */
export type Settlement = (
  failures: ReadonlyMap<BatchTask, unknown>,
  times: SettlementTimes,
) => Promise<readonly SQSRecord[]>

/** Letters are small and rare; a batch of nothing else must not open a connection for each. */
export const DEAD_LETTERS_AT_ONCE = 10

interface Failed {
  readonly task: BatchTask
  readonly failure: Failure
  readonly error: unknown
}

interface FailedKey extends Failed {
  readonly message: KeyMessage
}

/** A message that goes back, and for how long. */
interface Return {
  readonly record: SQSRecord
  readonly seconds: number
}

/**
 * Settles the failed keys of a batch by their redelivery:
 * 1. dead letters are written; a key whose dead letter is not taken goes back;
 * 2. what goes back is postponed; what cannot be comes after its visibility timeout.
 */
export function createSettlement(options: SettlementOptions): Settlement {
  const { redelivery, visibility, logger } = options
  const limitDeadLetters = pLimit(DEAD_LETTERS_AT_ONCE)

  return async (failures, { deadLettersMs, postponementsMs }) => {
    using letters = expireAfter(deadLettersMs)
    using postponements = expireAfter(postponementsMs)
    const left: KeyMessage[] = []
    const settled = [...failures].map(([task, error]): Promise<readonly Return[]> | readonly Return[] => {
      const failed = { task, error, failure: classify(error) }
      const { message } = task
      return message === undefined
        ? returnUnread(failed)
        : settleKey({ ...failed, message }, letters.signal, left)
    })
    const returns = (await Promise.all(settled)).flat()
    reportLeft(left, options)
    await postpone(returns, failures, postponements.signal)
    return returns.map(({ record }) => record)
  }

  async function settleKey(
    failed: FailedKey,
    signal: AbortSignal,
    left: KeyMessage[],
  ): Promise<readonly Return[]> {
    const { task, message, failure } = failed
    const { back, seconds, otherwise } = redelivery.decide({
      key: keyText(message),
      messages: messagesOf(task, message),
      failure,
    })
    if (otherwise === 'dead-letter') {
      const isTaken = await limitDeadLetters(() => writeLetter(failed, signal, options))
      return isTaken ? [] : returnAll(task, seconds)
    }
    if (otherwise === 'outage') left.push(message)
    if (otherwise === undefined) logReturn(failed, seconds, logger)
    return back.map(({ record }) => ({ record, seconds }))
  }

  /** Returns a malformed message to the queue, however often it came, as its dead letter was not accepted. */
  function returnUnread(failed: Failed): readonly Return[] {
    const { task, failure } = failed
    const seconds = backoffSeconds({ ...failure, receiveCount: receivesOf(task) })
    logReturn(failed, seconds, logger)
    return returnAll(task, seconds)
  }

  async function postpone(
    returns: readonly Return[],
    failures: ReadonlyMap<BatchTask, unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    if (returns.length === 0) return
    const changes = returns.map(
      ({ record, seconds }): VisibilityChange => ({ receiptHandle: record.receiptHandle, seconds }),
    )
    try {
      await waitUntilAborted(visibility.postpone(changes, signal), signal)
    } catch (err) {
      for (const { message } of failures.keys())
        if (message !== undefined) redelivery.notPostponed(keyText(message))
      logger.warn(
        { err, messages: changes.length },
        'failed messages come back only after their visibility timeout',
      )
    }
  }
}

const messagesOf = (
  { records }: BatchTask,
  merged: KeyMessage,
): (FailedMessage & { readonly record: SQSRecord })[] =>
  records.map((record) => ({
    record,
    messageId: record.messageId,
    receiveCount: receiveCountOf(record),
    sentTimestamp: sentTimestampOf(record),
    // Nearly all keys have one message.
    asOf: asOf(records.length === 1 ? merged : parseMessage(record.body)),
  }))

/** Versions of several histories have no order, and are different ones. */
const asOf = ({ history, nodesVersion, membersDigest }: KeyMessage): string =>
  JSON.stringify([history, nodesVersion, membersDigest])

/** Returns how often the queue has handed out a message, from 1. */
export const receiveCountOf = ({ attributes }: SQSRecord): number =>
  Number(attributes.ApproximateReceiveCount)

/** Returns when a message was sent, in milliseconds since the epoch. */
export const sentTimestampOf = ({ attributes }: SQSRecord): number => Number(attributes.SentTimestamp)

/** Counts the receives of the one of its messages that came most often. */
const receivesOf = ({ records }: BatchTask): number => Math.max(...records.map(receiveCountOf))

const returnAll = ({ records }: BatchTask, seconds: number): readonly Return[] =>
  records.map((record) => ({ record, seconds }))

/** Writes a dead letter; returns whether the queue took it. */
async function writeLetter(
  { task, message, failure }: FailedKey,
  signal: AbortSignal,
  { deadLetters, logger, onDeadLetter }: SettlementOptions,
): Promise<boolean> {
  const letter = deadLetterOf(task, message, failure)
  let isTaken = false
  try {
    signal.throwIfAborted()
    const sent = deadLetters.send(letter, signal).then(() => {
      isTaken = true
    })
    await waitUntilAborted(sent, signal)
    signal.throwIfAborted()
  } catch (err) {
    logger.warn(
      { ...task.fields, err },
      'the dead-letter queue did not accept a key; it goes back to its queue',
    )
  }
  if (!isTaken) return false
  const { failureClass, attempts, reason } = letter
  logger.error(
    { ...task.fields, class: failureClass, attempts, reason },
    'moved a key to the dead-letter queue',
  )
  onDeadLetter?.(letter)
  return true
}

/** Makes a dead letter of the key alone: once redriven, it requests a full sync of the newest state. */
function deadLetterOf(
  task: BatchTask,
  message: KeyMessage,
  { class: failureClass, reason }: Failure,
): DeadLetter {
  const first = task.records.reduce((one, other) =>
    sentTimestampOf(other) < sentTimestampOf(one) ? other : one,
  )
  return {
    body: encodeMessage(bareKey(message)),
    failureClass,
    reason,
    key: message,
    attempts: receivesOf(task),
    sentTimestamp: sentTimestampOf(first),
    messageId: first.messageId,
    sourceQueueArn: first.eventSourceARN,
  }
}

const bareKey = ({ triggerTime, resourceVersion, ...key }: KeyMessage): KeyMessage => ({
  ...keyFields(key),
  triggerTime,
  resourceVersion,
})

function logReturn({ task, failure, error: err }: Failed, retryInSeconds: number, logger: Log): void {
  const errorClass = err instanceof Error ? err.name : typeof err
  const receiveCount = receivesOf(task)
  const line = { ...task.fields, err, errorClass, class: failure.class, receiveCount, retryInSeconds }
  // The circuit breaker has logged the outage once for all keys of the cluster.
  if (failure.isOutage) logger.debug(line, 'did not handle a message; it goes back to the queue')
  else if (failure.disposition === 'retry')
    logger.warn(line, 'failed to handle a message; it goes back to the queue')
  else
    logger.error(
      line,
      `failed to handle a message; the error looks permanent; retrying in ${retryInSeconds} s`,
    )
}

function reportLeft(keys: readonly KeyMessage[], { logger, onLeft }: SettlementOptions): void {
  for (const [cluster, some] of Map.groupBy(keys, (key) => key.cluster)) {
    logger.warn(
      { cluster, keys: some.length },
      'dropped keys without receives left while a cluster does not answer: the relay sends them again',
    )
  }
  for (const key of keys) onLeft?.(key)
}
