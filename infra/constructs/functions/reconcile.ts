import { Alias, MetricType } from 'aws-cdk-lib/aws-lambda'
import type { SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources'
import type { Construct } from 'constructs'
import type { DeploymentSettings } from '../../settings/index.ts'
import {
  clustersEnvironment,
  deadLettersEnvironment,
  queuesEnvironment,
  settingsEnvironment,
} from '../environment.ts'
import { Recordings } from '../recordings.ts'
import { consumeKeys } from './consume-keys.ts'
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
    const called = this.alias ?? this.function
    const common = { role: this.role, metricsConfig: { metrics: [MetricType.EVENT_COUNT] } }
    const { batchSize, batchWindow, sweepBatchSize, sweepBatchWindow, sweepMaximumConcurrency } = settings
    consumeKeys(called, lanes.live, { ...common, batchSize, batchWindow, ...livePace(settings) })
    consumeKeys(called, lanes.sweep, {
      ...common,
      batchSize: sweepBatchSize,
      batchWindow: sweepBatchWindow,
      maxConcurrency: sweepMaximumConcurrency,
    })
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
