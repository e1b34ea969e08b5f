import { fileURLToPath } from 'node:url'
import { Stack } from 'aws-cdk-lib'
import type { Template } from 'aws-cdk-lib/assertions'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { describe, expect, it } from 'vitest'
import { emptyBundles, templateOf, testApp } from '../template.fixtures.ts'
import { type AlarmProperties, alarmsOf, ruleOf, severityOf } from './alarms.fixtures.ts'

const SPEC = fileURLToPath(new URL('../../../examples/views/endpoints.yaml', import.meta.url))

/**
 * Each alarm's severity, and what makes it ring, with the default settings and all that has alarms of its
 * own.
 */
const RULES: Readonly<Record<string, readonly [severity: string, rule: string]>> = {
  LiveDeadLetters: [
    'warning',
    'Maximum of AWS/SQS/ApproximateNumberOfMessagesVisible/LiveDeadLetters in 60 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  SweepDeadLetters: [
    'warning',
    'Maximum of AWS/SQS/ApproximateNumberOfMessagesVisible/SweepDeadLetters in 60 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  LiveAge: [
    'warning',
    'Maximum of AWS/SQS/ApproximateAgeOfOldestMessage/LiveQueue in 60 s ≥ 30, 8 of 10, no data: notBreaching',
  ],
  LiveAgeQuiet: [
    'critical',
    'Maximum of AWS/SQS/ApproximateAgeOfOldestMessageInQuietGroups/LiveQueue in 60 s ≥ 30, 4 of 5, no data: notBreaching',
  ],
  SweepAge: [
    'warning',
    'Maximum of AWS/SQS/ApproximateAgeOfOldestMessage/SweepQueue in 300 s ≥ 1240, 3 of 3, no data: notBreaching',
  ],
  ReconcileErrors: [
    'critical',
    'Sum of AWS/Lambda/Errors/ReconcileFunction in 60 s ≥ 1, 3 of 5, no data: notBreaching',
  ],
  ReconcileThrottles: [
    'warning',
    'Sum of AWS/Lambda/Throttles/ReconcileFunction in 60 s ≥ 1, 3 of 5, no data: notBreaching',
  ],
  ReconcileDuration: [
    'warning',
    'p99 of AWS/Lambda/Duration/ReconcileFunction in 300 s ≥ 48000, 2 of 3, no data: notBreaching',
  ],
  AuditErrors: [
    'critical',
    'Sum of AWS/Lambda/Errors/AuditFunction in 900 s ≥ 3, 1 of 1, no data: notBreaching',
  ],
  AuditThrottles: [
    'warning',
    'Sum of AWS/Lambda/Throttles/AuditFunction in 60 s ≥ 1, 3 of 5, no data: notBreaching',
  ],
  AuditDuration: [
    'warning',
    'p99 of AWS/Lambda/Duration/AuditFunction in 300 s ≥ 48000, 2 of 3, no data: notBreaching',
  ],
  FailedKeys: [
    'warning',
    'Sum of Sliceflow/FailedKeys/Test/Sliceflow in 300 s ≥ 10, 3 of 3, no data: notBreaching',
  ],
  Latency: [
    'warning',
    'p99 of Sliceflow/EventToApplied/Test/Sliceflow in 300 s ≥ 10, 3 of 3, no data: notBreaching',
  ],
  HeldPlans: [
    'warning',
    'Sum of Sliceflow/HeldPlans/Test/Sliceflow in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  OversizedServices: [
    'warning',
    'Sum of Sliceflow/OversizedServices/Test/Sliceflow in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  LostRecords: [
    'warning',
    'Sum of Sliceflow/LostRecords/Test/Sliceflow in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  AuditFindings: [
    'warning',
    'Sum of Sliceflow/AuditFindings/Test/Sliceflow in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  SliceFights: [
    'warning',
    'Sum of Sliceflow/SliceFights/Test/Sliceflow in 300 s ≥ 1, 2 of 3, no data: notBreaching',
  ],
  SecondController: [
    'warning',
    'Sum of Sliceflow/SecondControllerSyncs/Test/Sliceflow in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  FleetLatency: [
    'warning',
    'p99 of Sliceflow/FleetEventToApplied/Test/Sliceflow in 300 s ≥ 10, 3 of 3, no data: notBreaching',
  ],
  FleetConflicts: [
    'warning',
    'Sum of Sliceflow/FleetConflicts/Test/Sliceflow in 900 s ≥ 1, 3 of 3, no data: notBreaching',
  ],
  FleetBlocked: [
    'warning',
    'Sum of Sliceflow/FleetBlockedImports/Test/Sliceflow in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  RelayDown: [
    'critical',
    '1 - FILL(running, 0) of Sum of Sliceflow/RelayUp/Test/Sliceflow in 60 s ≥ 1, 5 of 5, no data: breaching',
  ],
  RelayRestarts: [
    'critical',
    'Sum of AWS/Events/TriggeredRules/RelayEnds in 3600 s ≥ 3, 1 of 1, no data: notBreaching',
  ],
  WatchSilent: [
    'warning',
    'Maximum of Sliceflow/RelayWatchLastByteSeconds/Test/Sliceflow in 60 s ≥ 180, 3 of 3, no data: notBreaching',
  ],
  ClusterUnreachable: [
    'critical',
    'Maximum of Sliceflow/RelayWatchFailing/Test/Sliceflow in 60 s ≥ 1, 5 of 5, no data: notBreaching',
  ],
  KeysPending: [
    'critical',
    'Maximum of Sliceflow/RelayOldestPendingKeySeconds/Test/Sliceflow in 60 s ≥ 60.5, 3 of 3, no data: notBreaching',
  ],
  KeysRejected: [
    'warning',
    'Sum of Sliceflow/RelayKeysRejected/Test/Sliceflow in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  CheckpointFailures: [
    'warning',
    'Sum of Sliceflow/RelayCheckpointFailures/Test/Sliceflow in 300 s ≥ 1, 3 of 3, no data: notBreaching',
  ],
  StandbyDown: [
    'warning',
    '1 - FILL(running, 0) of Sum of Sliceflow/StandbyRelayUp/Test/Sliceflow in 60 s ≥ 1, 5 of 5, no data: breaching',
  ],
  StandbySends: [
    'warning',
    'Sum of Sliceflow/StandbyRelayStandbyKeys/Test/Sliceflow in 300 s ≥ 50, 3 of 3, no data: notBreaching',
  ],
  Schedule: [
    'warning',
    'Sum of AWS/Scheduler/InvocationDroppedCount/Test-Sliceflow-Audit-ScheduleGroup in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  AuditMissed: [
    'warning',
    '6 - FILL(calls, 0) of Sum of AWS/Lambda/Invocations/AuditFunction in 3600 s ≥ 2, 2 of 2, no data: breaching',
  ],
  ViewPublisherDeadLetters: [
    'warning',
    'Maximum of AWS/SQS/ApproximateNumberOfMessagesVisible/ViewPublisherKeysDeadLetters in 60 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  ViewPublisherAge: [
    'warning',
    'Maximum of AWS/SQS/ApproximateAgeOfOldestMessage/ViewPublisherKeysQueue in 60 s ≥ 620, 8 of 10, no data: notBreaching',
  ],
  ViewPublisherErrors: [
    'critical',
    'Sum of AWS/Lambda/Errors/ViewPublisherPublishFunction in 60 s ≥ 1, 3 of 5, no data: notBreaching',
  ],
  ViewPublisherThrottles: [
    'warning',
    'Sum of AWS/Lambda/Throttles/ViewPublisherPublishFunction in 60 s ≥ 1, 3 of 5, no data: notBreaching',
  ],
  ViewPublisherDuration: [
    'warning',
    'p99 of AWS/Lambda/Duration/ViewPublisherPublishFunction in 300 s ≥ 48000, 2 of 3, no data: notBreaching',
  ],
  ViewPublisherSweepErrors: [
    'critical',
    'Sum of AWS/Lambda/Errors/ViewPublisherSweepFunction in 900 s ≥ 3, 1 of 1, no data: notBreaching',
  ],
  ViewPublisherSweepThrottles: [
    'warning',
    'Sum of AWS/Lambda/Throttles/ViewPublisherSweepFunction in 60 s ≥ 1, 3 of 5, no data: notBreaching',
  ],
  ViewPublisherSweepDuration: [
    'warning',
    'p99 of AWS/Lambda/Duration/ViewPublisherSweepFunction in 300 s ≥ 48000, 2 of 3, no data: notBreaching',
  ],
  ViewPublisherSchedule: [
    'warning',
    'Sum of AWS/Scheduler/InvocationDroppedCount/Test-Sliceflow-ViewPublisher-Sweep-ScheduleGroup in 300 s ≥ 1, 1 of 1, no data: notBreaching',
  ],
  CanaryLate: [
    'critical',
    'Maximum of Sliceflow/CanaryDelay/Test/Sliceflow in 60 s ≥ 10, 3 of 5, no data: breaching',
  ],
  CanaryFailed: [
    'critical',
    'Sum of Sliceflow/CanaryFailures/Test/Sliceflow in 60 s ≥ 1, 3 of 5, no data: notBreaching',
  ],
  FailedKeysByCluster: [
    '',
    `SELECT SUM(FailedKeys) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY SUM() DESC in 300 s ≥ 10, 3 of 3, no data: notBreaching`,
  ],
  WatchSilentByCluster: [
    '',
    `SELECT MAX(RelayWatchLastByteSeconds) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY MAX() DESC in 60 s ≥ 180, 3 of 3, no data: notBreaching`,
  ],
  ClusterUnreachableByCluster: [
    '',
    `SELECT MAX(RelayWatchFailing) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY MAX() DESC in 60 s ≥ 1, 5 of 5, no data: notBreaching`,
  ],
  KeysRejectedByCluster: [
    '',
    `SELECT SUM(RelayKeysRejected) FROM SCHEMA("Sliceflow", Cluster, Deployment, Lane) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY SUM() DESC in 300 s ≥ 1, 1 of 1, no data: notBreaching`,
  ],
  CanaryLateByCluster: [
    '',
    `SELECT MAX(CanaryDelay) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY MAX() DESC in 60 s ≥ 10, 3 of 5, no data: notBreaching`,
  ],
  CanaryFailedByCluster: [
    '',
    `SELECT SUM(CanaryFailures) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY SUM() DESC in 60 s ≥ 1, 3 of 5, no data: notBreaching`,
  ],
}

const CLUSTER_SETS = '[{"name":"prod","clusters":[{"name":"*"}]}]'

const rulesOf = (template: Template): Record<string, readonly [string, string]> =>
  Object.fromEntries(
    Object.entries(alarmsOf(template)).map(([id, alarm]) => [id, [severityOf(template, id), ruleOf(alarm)]]),
  )

describe('the alarms of a deployment', () => {
  const bundles = emptyBundles()
  const app = testApp(bundles)
  const views = {
    spec: SPEC,
    operator: 'mine',
    eventBus: EventBus.fromEventBusName(new Stack(app, 'Views'), 'Bus', 'views'),
  }

  it('each read one metric, of what they are named after, and ring at a number that is known', () => {
    const template = templateOf(
      {
        bundles,
        views,
        keepState: true,
        canary: true,
        settings: { relayStandby: true, recording: 'on', clusterSets: CLUSTER_SETS },
      },
      app,
    )
    expect(rulesOf(template)).toEqual(RULES)
  })

  it('ring later where the settings allow things to take longer', () => {
    const settings = {
      relayShards: 3,
      latencyTarget: 60,
      batchWindow: 2,
      functionTimeout: 30,
      sweepInterval: 1200,
      sweepBatchWindow: 30,
      sweepCoalescingWindow: 7,
      clusterSets: CLUSTER_SETS,
    }
    const alarms = alarmsOf(templateOf({ bundles, settings }))
    const thresholds = Object.entries(alarms).map(([id, { Threshold }]) => [id, Threshold])
    expect(Object.fromEntries(thresholds)).toMatchObject({
      LiveAge: 60 + 2 + 20,
      LiveAgeQuiet: 60 + 2 + 20,
      SweepAge: 1200 + 600 + 30 + 20,
      ReconcileDuration: 24_000,
      AuditDuration: 24_000,
      Latency: 60,
      KeysPending: 60 + 7,
    })
    expect(ruleOf(alarms.RelayDown as AlarmProperties)).toMatch(/^3 - FILL\(running, 0\) of Sum/)
    expect(ruleOf(alarms.FleetConflicts as AlarmProperties)).toContain('in 1800 s ≥ 1, 3 of 3')
  })
})
