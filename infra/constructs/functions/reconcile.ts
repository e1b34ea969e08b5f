import { Duration } from 'aws-cdk-lib'
import { Alias, MetricType } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources'
import type { Construct } from 'constructs'
import type { DeploymentSettings } from '../../settings/index.ts'
import {
  clustersEnvironment,
  deadLettersEnvironment,
  queuesEnvironment,
  settingsEnvironment,
} from '../environment.ts'
import { grantSend } from '../queues/key-queue.ts'
import { Recordings } from '../recordings.ts'
import { type FunctionParts, SliceflowFunction } from './function.ts'

/** The function that writes slices, with an event source mapping for each lane. */
export class ReconcileFunction extends SliceflowFunction {
  /** Alias that both lanes call where new versions come gradually. */
  readonly alias?: Alias

  constructor(
    scope: Construct,
    id: string,
    { code, lanes, clusters, recordings, surroundings }: FunctionParts,
  ) {
    const { settings } = surroundings
    super(scope, id, {
      surroundings,
      description: 'Sliceflow: brings the EndpointSlices of changed Services up to date',
      code,
      environment: {
        ...settingsEnvironment(settings),
        ...clustersEnvironment(clusters),
        ...queuesEnvironment(lanes),
        ...deadLettersEnvironment(lanes),
        ...Recordings.environment(recordings),
      },
    })
    recordings?.grantStore(this.role)
    if (settings.gradualDeployment !== 'none')
      this.alias = new Alias(this, 'Alias', { aliasName: 'live', version: this.function.currentVersion })
    const batches = {
      live: { size: settings.batchSize, window: settings.batchWindow, pace: livePace(settings) },
      sweep: {
        size: settings.sweepBatchSize,
        window: settings.sweepBatchWindow,
        pace: { maxConcurrency: settings.sweepMaximumConcurrency },
      },
    }
    for (const { lane, queue, deadLetters } of [lanes.live, lanes.sweep]) {
      const { size, window, pace } = batches[lane]
      const source = new SqsEventSource(queue, {
        batchSize: size,
        ...(window > 0 && { maxBatchingWindow: Duration.seconds(window) }),
        ...pace,
        // Without it Lambda takes every answer for success, and failed keys are lost.
        reportBatchItemFailures: true,
        metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
      })
      const called = this.alias ?? this.function
      called.addEventSource(source)
      // Failed messages are given back earlier than their visibility timeout; bodies that are no messages go
      // to the dead letters.
      queue.grant(this.role, 'sqs:ChangeMessageVisibility')
      grantSend(deadLetters, this.role)
    }
  }
}

/** Bounds the calls at once: by a limit, or by pollers of the lane's own. */
const livePace = ({
  minimumPollers,
  maximumPollers,
  maximumConcurrency,
}: DeploymentSettings): Pick<SqsEventSourceProps, 'maxConcurrency' | 'provisionedPollerConfig'> =>
  maximumPollers > 0
    ? { provisionedPollerConfig: { minimumPollers, maximumPollers } }
    : { maxConcurrency: maximumConcurrency }
