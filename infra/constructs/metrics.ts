import { Duration, Stack } from 'aws-cdk-lib'
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { AUDIT_METRICS } from '../../functions/audit/metrics.ts'
import { FUNCTION_METRICS } from '../../functions/reconcile/metrics.ts'
import { RELAY_UP, STANDBY_PREFIX } from '../../functions/relay/metric-names.ts'
import { DEPLOYMENT_DIMENSION, EMF_NAMESPACE } from '../../shared/telemetry/index.ts'

/** Names of the relay's metrics in CloudWatch (see shared/telemetry); a test compares the two. */
export const RELAY_METRICS = {
  up: RELAY_UP,
  watchFailing: 'RelayWatchFailing',
  lastByte: 'RelayWatchLastByteSeconds',
  pending: 'RelayKeysPending',
  oldestPending: 'RelayOldestPendingKeySeconds',
  sent: 'RelayKeysSent',
  relists: 'RelayRelists',
  rejected: 'RelayKeysRejected',
  checkpointFailures: 'RelayCheckpointFailures',
  /** Of a deployment whose relays are all standbys. */
  keysOfStandby: 'RelayStandbyKeys',
  standbyUp: STANDBY_PREFIX + RELAY_UP,
  standbyKeys: `${STANDBY_PREFIX}RelayStandbyKeys`,
} as const

export type Statistic = 'Sum' | 'Maximum' | 'Minimum' | 'Average' | 'p50' | 'p99'

export interface MetricOptions {
  readonly statistic: Statistic
  readonly minutes?: number
  readonly dimensions?: Readonly<Record<string, string>>
  readonly label?: string
}

/** What CloudWatch's queries can compute. */
interface ClusterQuery {
  readonly statistic: 'Sum' | 'Maximum'
  readonly minutes?: number
}

/**
 * Returns the name of a deployment, which no other has in its account and region: that of the stack, which
 * CloudFormation allows once, and the path of the construct in it, such as `Sliceflow/Sliceflow`.
 */
export function deploymentName(construct: Construct): string {
  let stack = Stack.of(construct)
  while (stack.nestedStackParent !== undefined) stack = stack.nestedStackParent
  const ids = construct.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id)
  return [stack.stackName, ...ids].join('/')
}

/** The metrics that the functions and the relay of one deployment write. */
export class DeploymentMetrics {
  readonly deployment: string

  /** @param deployment name of it, which functions and relay have in their environment */
  constructor(deployment: string) {
    this.deployment = deployment
  }

  of(name: string, { statistic, minutes = 1, dimensions, label }: MetricOptions): Metric {
    return new Metric({
      namespace: EMF_NAMESPACE,
      metricName: name,
      statistic,
      period: Duration.minutes(minutes),
      dimensionsMap: { [DEPLOYMENT_DIMENSION]: this.deployment, ...dimensions },
      ...(label !== undefined && { label }),
    })
  }

  sum(name: string, label: string): Metric {
    return this.of(name, { statistic: 'Sum', label })
  }

  /**
   * Returns a query with a time series for each cluster: an alarm of it has a state for each, and its
   * notification names the cluster.
   * @param schema further dimensions of the metric, beside Cluster and Deployment
   */
  private ofClusters(
    name: string,
    { statistic, minutes = 1 }: ClusterQuery,
    schema: readonly string[] = [],
  ): MathExpression {
    const aggregate = statistic === 'Sum' ? 'SUM' : 'MAX'
    const dimensions = ['Cluster', DEPLOYMENT_DIMENSION, ...schema].join(', ')
    const ofThis = `${DEPLOYMENT_DIMENSION} = '${this.deployment.replaceAll("'", "''")}'`
    return new MathExpression({
      expression: `SELECT ${aggregate}(${name}) FROM SCHEMA("${EMF_NAMESPACE}", ${dimensions}) WHERE ${ofThis} GROUP BY Cluster ORDER BY ${aggregate}() DESC`,
      usingMetrics: {},
      label: '',
      period: Duration.minutes(minutes),
    })
  }

  /** Returns a metric over all clusters, and the query of the same with a time series for each cluster. */
  both(name: string, query: ClusterQuery, schema?: readonly string[]) {
    return { metric: this.of(name, query), byCluster: this.ofClusters(name, query, schema) }
  }

  /** Makes a line for each value of the dimensions that exists. */
  by(dimensions: string, name: string, statistic: 'Sum' | 'Maximum'): MathExpression {
    const ofThis = `${DEPLOYMENT_DIMENSION}="${this.deployment}"`
    return new MathExpression({
      expression: `SEARCH('{${EMF_NAMESPACE},${DEPLOYMENT_DIMENSION},${dimensions}} MetricName="${name}" ${ofThis}', '${statistic}', 60)`,
      usingMetrics: {},
      label: '',
      period: Duration.minutes(1),
    })
  }
}

/** Returns a metric of SQS that CDK has no helper for: of fair queues, without the noisy groups. */
export function quietGroupsMetric(queue: IQueue, label: string): Metric {
  return new Metric({
    namespace: 'AWS/SQS',
    metricName: 'ApproximateAgeOfOldestMessageInQuietGroups',
    dimensionsMap: { QueueName: queue.queueName },
    statistic: 'Maximum',
    period: Duration.minutes(1),
    label,
  })
}

export { AUDIT_METRICS, FUNCTION_METRICS }
