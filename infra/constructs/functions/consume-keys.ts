import { Duration } from 'aws-cdk-lib'
import type { IRole } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources'
import { grantSend, type KeyQueue } from '../queues/key-queue.ts'

interface ConsumerProps
  extends Pick<SqsEventSourceProps, 'maxConcurrency' | 'provisionedPollerConfig' | 'metricsConfig'> {
  /** That of the function. */
  readonly role: IRole
  readonly batchSize: number
  /** In seconds. */
  readonly batchWindow: number
}

/** Has a function called with batches of a queue's keys. It gives failed ones back, and bad ones up. */
export function consumeKeys(
  called: IFunction,
  { queue, deadLetters }: KeyQueue,
  { role, batchWindow, ...source }: ConsumerProps,
): void {
  called.addEventSource(
    new SqsEventSource(queue, {
      ...source,
      ...(batchWindow > 0 && { maxBatchingWindow: Duration.seconds(batchWindow) }),
      // Without it Lambda takes every answer for success, and failed keys are lost.
      reportBatchItemFailures: true,
    }),
  )
  // Failed messages are given back earlier than their visibility timeout; bodies that are no messages go to
  // the dead letters.
  queue.grant(role, 'sqs:ChangeMessageVisibility')
  grantSend(deadLetters, role)
}
