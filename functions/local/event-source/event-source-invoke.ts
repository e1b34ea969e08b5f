import type { Message } from '@aws-sdk/client-sqs'
import type { Context, SQSEvent } from 'aws-lambda'
import type { Log } from '../../../shared/telemetry/index.ts'
import { createContext, toEvent } from './event-source-event.ts'
import { failedMessageIds } from './event-source-response.ts'

export interface Invocation {
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>
  readonly queueArn: string
  readonly functionTimeoutSeconds: number
  readonly logger: Log
}

const FUNCTION_NAME = 'reconcile'

class FunctionTimeoutError extends Error {
  override readonly name = 'FunctionTimeoutError'
}

/**
 * Invokes the function with a batch and returns the ids of the messages that failed: all of them when the
 * function throws, takes too long or answers in a form that Lambda does not accept. Never rejects. A function
 * that took too long runs on, as there is no sandbox to end; its answer no longer counts.
 */
export async function invokeFunction(
  batch: readonly Message[],
  { handler, queueArn, functionTimeoutSeconds, logger }: Invocation,
): Promise<ReadonlySet<string>> {
  const messageIds = new Set(batch.map(({ MessageId = '' }) => MessageId))
  const timeoutMs = functionTimeoutSeconds * 1000
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new FunctionTimeoutError(`the function timed out after ${functionTimeoutSeconds} s`)),
    timeoutMs,
  )
  try {
    const answer = handler(toEvent(batch, queueArn), createContext(FUNCTION_NAME, timeoutMs))
    return failedMessageIds(await Promise.race([answer, timedOut]), messageIds)
  } catch (err) {
    logger.error(
      { err, messages: batch.length },
      'failed to invoke the function: the whole batch goes back to the queue',
    )
    return messageIds
  } finally {
    clearTimeout(timer)
  }
}
