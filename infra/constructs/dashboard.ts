import { Duration } from 'aws-cdk-lib'
import {
  AlarmStatusWidget,
  Color,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import { guardAlarms } from '../../shared/reconciler/index.ts'
import { NO_CLUSTER_SETS } from '../../shared/settings/index.ts'
import type { DeploymentSettings } from '../settings/index.ts'
import type { Alarms } from './alarms/alarms.ts'
import type { Lanes } from './environment.ts'
import type { SliceflowFunction } from './functions/function.ts'
import {
  AUDIT_METRICS,
  type DeploymentMetrics,
  FUNCTION_METRICS,
  quietGroupsMetric,
  RELAY_METRICS,
} from './metrics.ts'
import type { ViewPublisher } from './views/view-publisher.ts'

interface OverviewProps {
  readonly alarms: Alarms
  readonly lanes: Lanes
  readonly reconcile: SliceflowFunction
  readonly viewPublisher?: ViewPublisher
  readonly settings: DeploymentSettings
  readonly metrics: DeploymentMetrics
  readonly runbooks: string
}

const FULL = 24
const THIRD = 8
const HEIGHT = 6

/** One page in the order of the questions: is it healthy, which cluster, since when, what to do. */
export class Overview extends Construct {
  readonly dashboard: Dashboard

  constructor(scope: Construct, id: string, props: OverviewProps) {
    super(scope, id)
    const { alarms, viewPublisher, runbooks } = props
    this.dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) })
    this.dashboard.addWidgets(
      new TextWidget({
        width: FULL,
        height: 2,
        markdown: `## Sliceflow\nIs it healthy? The alarms below. Which cluster, since when? The second row. What to do? Every alarm has its page in the [runbooks](${runbooks}/README.md).`,
      }),
    )
    this.dashboard.addWidgets(
      new AlarmStatusWidget({
        title: 'Is it healthy?',
        width: FULL,
        height: 4,
        alarms: [...alarms.composites, ...alarms.alarms],
      }),
    )
    this.dashboard.addWidgets(...clusterGraphs(props))
    this.dashboard.addWidgets(...delayGraphs(props))
    this.dashboard.addWidgets(...workGraphs(props))
    this.dashboard.addWidgets(...relayGraphs(props))
    this.dashboard.addWidgets(...givenUpGraphs(props))
    if (props.settings.clusterSets !== NO_CLUSTER_SETS) this.dashboard.addWidgets(...fleetGraphs(props))
    if (viewPublisher !== undefined) this.dashboard.addWidgets(...viewPublisherGraphs(viewPublisher))
  }
}

const graph = (
  title: string,
  more: Pick<GraphWidgetProps, 'left' | 'right' | 'leftAnnotations'>,
): GraphWidget => new GraphWidget({ title, width: THIRD, height: HEIGHT, liveData: true, ...more })

const callsGraph = (
  title: string,
  { function: lambda }: SliceflowFunction,
  more: readonly IMetric[] = [],
): GraphWidget =>
  graph(title, {
    left: [
      lambda.metricInvocations({ label: 'calls' }),
      lambda.metricErrors({ label: 'errors' }),
      lambda.metricThrottles({ label: 'throttles' }),
      ...more,
    ],
    right: [lambda.metricDuration({ statistic: 'p99', label: 'duration, 99 % (ms)' })],
  })

const clusterGraphs = ({ metrics }: OverviewProps): GraphWidget[] => [
  graph('Which cluster cannot be watched? (1: retrying)', {
    left: [metrics.by('Cluster', RELAY_METRICS.watchFailing, 'Maximum')],
  }),
  graph('Whose keys fail?', { left: [metrics.by('Cluster', FUNCTION_METRICS.failedKeys, 'Sum')] }),
  graph('Whose keys wait in the relay? (seconds)', {
    left: [metrics.by('Cluster,Lane', RELAY_METRICS.oldestPending, 'Maximum')],
  }),
]

const delayGraphs = ({ lanes, settings, metrics }: OverviewProps): GraphWidget[] => [
  graph('From the event to the slices (seconds)', {
    left: [
      metrics.of(FUNCTION_METRICS.eventToApplied, { statistic: 'p50', label: 'half of them' }),
      metrics.of(FUNCTION_METRICS.eventToApplied, { statistic: 'p99', label: '99 %' }),
    ],
    leftAnnotations: [{ value: settings.latencyTarget, label: 'target', color: Color.RED }],
  }),
  graph('Oldest message (seconds)', {
    left: [
      lanes.live.queue.metricApproximateAgeOfOldestMessage({ label: 'live' }),
      quietGroupsMetric(lanes.live.queue, 'live, quiet clusters'),
      lanes.sweep.queue.metricApproximateAgeOfOldestMessage({ label: 'sweep' }),
    ],
  }),
  graph('Messages waiting, and given up', {
    left: [
      lanes.live.queue.metricApproximateNumberOfMessagesVisible({ label: 'live' }),
      lanes.sweep.queue.metricApproximateNumberOfMessagesVisible({ label: 'sweep' }),
    ],
    right: [
      lanes.live.deadLetters.metricApproximateNumberOfMessagesVisible({ label: 'live, dead letters' }),
      lanes.sweep.deadLetters.metricApproximateNumberOfMessagesVisible({ label: 'sweep, dead letters' }),
    ],
  }),
]

const workGraphs = ({ reconcile, metrics }: OverviewProps): GraphWidget[] => [
  graph('Keys', {
    left: [
      metrics.sum(RELAY_METRICS.sent, 'sent by the relay'),
      metrics.sum(FUNCTION_METRICS.keys, 'brought up to date'),
      metrics.sum(FUNCTION_METRICS.failedKeys, 'failed'),
      metrics.sum(FUNCTION_METRICS.conflictedKeys, 'changed all the time'),
    ],
  }),
  graph('Slices written', {
    left: [
      metrics.sum(FUNCTION_METRICS.slicesCreated, 'created'),
      metrics.sum(FUNCTION_METRICS.slicesUpdated, 'updated'),
      metrics.sum(FUNCTION_METRICS.slicesDeleted, 'deleted'),
    ],
  }),
  callsGraph('Calls of the function', reconcile, [metrics.sum(FUNCTION_METRICS.coldStarts, 'cold starts')]),
]

const relayGraphs = ({ metrics }: OverviewProps): GraphWidget[] => [
  graph('The relay: bytes of its watches', {
    left: [metrics.of(RELAY_METRICS.lastByte, { statistic: 'Maximum', label: 'longest silence (s)' })],
    right: [metrics.sum(RELAY_METRICS.relists, 'whole lists')],
  }),
  graph('The relay: keys that wait for the queue', {
    left: [metrics.of(RELAY_METRICS.pending, { statistic: 'Maximum', label: 'keys' })],
  }),
  graph('Messages returned to the queue, and malformed messages', {
    left: [
      ...['live', 'sweep'].map((Lane) =>
        metrics.of(FUNCTION_METRICS.failedMessages, {
          statistic: 'Sum',
          dimensions: { Lane },
          label: `${Lane}, back to the queue`,
        }),
      ),
      metrics.sum(FUNCTION_METRICS.malformed, 'malformed'),
    ],
  }),
]

const givenUpGraphs = ({ settings, metrics }: OverviewProps): GraphWidget[] => [
  graph('Keys given up, by reason', {
    left: [metrics.by('Class', FUNCTION_METRICS.deadLetters, 'Sum')],
    right: [metrics.by('Cluster', FUNCTION_METRICS.leftKeys, 'Sum')],
  }),
  graph('What the guards do', {
    left: guardAlarms().map(({ metric, line }) => metrics.sum(metric, line)),
  }),
  graph('The full audit', {
    left: [
      metrics.sum(AUDIT_METRICS.keys, 'keys sent'),
      metrics.sum(FUNCTION_METRICS.auditSyncs, 'reconciled'),
    ],
    right: [
      metrics.sum(FUNCTION_METRICS.auditFindings, 'findings'),
      metrics.by('Cluster', AUDIT_METRICS.failures, 'Sum'),
    ],
  }),
  ...(settings.shadow
    ? [
        graph('Services compared, by result', {
          left: [metrics.by('Result', FUNCTION_METRICS.compared, 'Sum')],
        }),
      ]
    : []),
]

const fleetGraphs = ({ metrics }: OverviewProps): GraphWidget[] => [
  graph('Cluster sets: from a change in one cluster to the slices of all (seconds)', {
    left: [
      metrics.of(FUNCTION_METRICS.fleetEventToApplied, { statistic: 'p50', label: 'half of them' }),
      metrics.of(FUNCTION_METRICS.fleetEventToApplied, { statistic: 'p99', label: '99 %' }),
    ],
  }),
  graph('Cluster sets: exports that differ, and imports that cannot be written', {
    left: [
      metrics.sum(FUNCTION_METRICS.fleetConflicts, 'conflicts'),
      metrics.sum(FUNCTION_METRICS.fleetBlocked, 'blocked'),
      metrics.sum(FUNCTION_METRICS.fleetLeftOut, 'endpoints left out'),
    ],
  }),
]

const viewPublisherGraphs = ({ queues, handler }: ViewPublisher): GraphWidget[] => [
  graph('Views: messages waiting, and given up', {
    left: [queues.queue.metricApproximateNumberOfMessagesVisible({ label: 'waiting' })],
    right: [queues.deadLetters.metricApproximateNumberOfMessagesVisible({ label: 'dead letters' })],
  }),
  graph('Views: oldest message (seconds)', {
    left: [queues.queue.metricApproximateAgeOfOldestMessage({ label: 'waits for' })],
  }),
  callsGraph('Views: calls of the function', handler),
]
