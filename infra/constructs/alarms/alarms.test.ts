import { fileURLToPath } from 'node:url'
import { Stack } from 'aws-cdk-lib'
import type { Template } from 'aws-cdk-lib/assertions'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { describe, expect, it } from 'vitest'
import { emptyBundles, templateOf, testApp } from '../template.fixtures.ts'
import { type AlarmProperties, alarmsOf, ruleOf, severityOf } from './alarms.fixtures.ts'

const SPEC = fileURLToPath(new URL('../../../examples/views/endpoints.yaml', import.meta.url))

/**
 * Each alarm's severity (those by cluster are in no composite alarm), and what makes it ring, with the
 * default settings and all that has alarms of its own.
 */
const RULES: Readonly<Record<string, string>> = {
  LiveDeadLetters:
    'warning: Maximum of AWS/SQS/ApproximateNumberOfMessagesVisible/LiveDeadLetters in 60 s ≥ 1, 1 of 1',
  SweepDeadLetters:
    'warning: Maximum of AWS/SQS/ApproximateNumberOfMessagesVisible/SweepDeadLetters in 60 s ≥ 1, 1 of 1',
  LiveAge: 'warning: Maximum of AWS/SQS/ApproximateAgeOfOldestMessage/LiveQueue in 60 s ≥ 30, 8 of 10',
  LiveAgeQuiet:
    'critical: Maximum of AWS/SQS/ApproximateAgeOfOldestMessageInQuietGroups/LiveQueue in 60 s ≥ 30, 4 of 5',
  SweepAge: 'warning: Maximum of AWS/SQS/ApproximateAgeOfOldestMessage/SweepQueue in 300 s ≥ 1240, 3 of 3',
  ReconcileErrors: 'critical: Sum of AWS/Lambda/Errors/ReconcileFunction in 60 s ≥ 1, 3 of 5',
  ReconcileThrottles: 'warning: Sum of AWS/Lambda/Throttles/ReconcileFunction in 60 s ≥ 1, 3 of 5',
  ReconcileDuration: 'warning: p99 of AWS/Lambda/Duration/ReconcileFunction in 300 s ≥ 48000, 2 of 3',
  AuditErrors: 'critical: Sum of AWS/Lambda/Errors/AuditFunction in 900 s ≥ 3, 1 of 1',
  AuditThrottles: 'warning: Sum of AWS/Lambda/Throttles/AuditFunction in 60 s ≥ 1, 3 of 5',
  AuditDuration: 'warning: p99 of AWS/Lambda/Duration/AuditFunction in 300 s ≥ 48000, 2 of 3',
  FailedKeys: 'warning: Sum of Sliceflow/FailedKeys/Test/Sliceflow in 300 s ≥ 10, 3 of 3',
  Latency: 'warning: p99 of Sliceflow/EventToApplied/Test/Sliceflow in 300 s ≥ 10, 3 of 3',
  HeldPlans: 'warning: Sum of Sliceflow/HeldPlans/Test/Sliceflow in 300 s ≥ 1, 1 of 1',
  OversizedServices: 'warning: Sum of Sliceflow/OversizedServices/Test/Sliceflow in 300 s ≥ 1, 1 of 1',
  LostRecords: 'warning: Sum of Sliceflow/LostRecords/Test/Sliceflow in 300 s ≥ 1, 1 of 1',
  AuditFindings: 'warning: Sum of Sliceflow/AuditFindings/Test/Sliceflow in 300 s ≥ 1, 1 of 1',
  SliceFights: 'warning: Sum of Sliceflow/SliceFights/Test/Sliceflow in 300 s ≥ 1, 2 of 3',
  SecondController: 'warning: Sum of Sliceflow/SecondControllerSyncs/Test/Sliceflow in 300 s ≥ 1, 1 of 1',
  FleetLatency: 'warning: p99 of Sliceflow/FleetEventToApplied/Test/Sliceflow in 300 s ≥ 10, 3 of 3',
  FleetConflicts: 'warning: Sum of Sliceflow/FleetConflicts/Test/Sliceflow in 900 s ≥ 1, 3 of 3',
  FleetBlocked: 'warning: Sum of Sliceflow/FleetBlockedImports/Test/Sliceflow in 300 s ≥ 1, 1 of 1',
  RelayDown:
    'critical: 1 - FILL(running, 0) of Sum of Sliceflow/RelayUp/Test/Sliceflow in 60 s ≥ 1, 5 of 5, no data: breaching',
  RelayRestarts: 'critical: Sum of AWS/Events/TriggeredRules/RelayEnds in 3600 s ≥ 3, 1 of 1',
  WatchSilent: 'warning: Maximum of Sliceflow/RelayWatchLastByteSeconds/Test/Sliceflow in 60 s ≥ 180, 3 of 3',
  ClusterUnreachable: 'critical: Maximum of Sliceflow/RelayWatchFailing/Test/Sliceflow in 60 s ≥ 1, 5 of 5',
  KeysPending:
    'critical: Maximum of Sliceflow/RelayOldestPendingKeySeconds/Test/Sliceflow in 60 s ≥ 60.5, 3 of 3',
  KeysRejected: 'warning: Sum of Sliceflow/RelayKeysRejected/Test/Sliceflow in 300 s ≥ 1, 1 of 1',
  CheckpointFailures: 'warning: Sum of Sliceflow/RelayCheckpointFailures/Test/Sliceflow in 300 s ≥ 1, 3 of 3',
  StandbyDown:
    'warning: 1 - FILL(running, 0) of Sum of Sliceflow/StandbyRelayUp/Test/Sliceflow in 60 s ≥ 1, 5 of 5, no data: breaching',
  StandbySends: 'warning: Sum of Sliceflow/StandbyRelayStandbyKeys/Test/Sliceflow in 300 s ≥ 50, 3 of 3',
  Schedule:
    'warning: Sum of AWS/Scheduler/InvocationDroppedCount/Test-Sliceflow-Audit-ScheduleGroup in 300 s ≥ 1, 1 of 1',
  AuditMissed:
    'warning: IF(FILL(running, 0) < 50, 0, 6 - FILL(calls, 0)) of Sum of AWS/Lambda/Invocations/AuditFunction in 3600 s,Sum of Sliceflow/RelayUp/Test/Sliceflow in 3600 s ≥ 2, 2 of 2',
  ViewPublisherDeadLetters:
    'warning: Maximum of AWS/SQS/ApproximateNumberOfMessagesVisible/ViewPublisherKeysDeadLetters in 60 s ≥ 1, 1 of 1',
  ViewPublisherAge:
    'warning: Maximum of AWS/SQS/ApproximateAgeOfOldestMessage/ViewPublisherKeysQueue in 60 s ≥ 620, 8 of 10',
  ViewPublisherErrors: 'critical: Sum of AWS/Lambda/Errors/ViewPublisherPublishFunction in 60 s ≥ 1, 3 of 5',
  ViewPublisherThrottles:
    'warning: Sum of AWS/Lambda/Throttles/ViewPublisherPublishFunction in 60 s ≥ 1, 3 of 5',
  ViewPublisherDuration:
    'warning: p99 of AWS/Lambda/Duration/ViewPublisherPublishFunction in 300 s ≥ 48000, 2 of 3',
  ViewPublisherSweepErrors:
    'critical: Sum of AWS/Lambda/Errors/ViewPublisherSweepFunction in 900 s ≥ 3, 1 of 1',
  ViewPublisherSweepThrottles:
    'warning: Sum of AWS/Lambda/Throttles/ViewPublisherSweepFunction in 60 s ≥ 1, 3 of 5',
  ViewPublisherSweepDuration:
    'warning: p99 of AWS/Lambda/Duration/ViewPublisherSweepFunction in 300 s ≥ 48000, 2 of 3',
  ViewPublisherSchedule:
    'warning: Sum of AWS/Scheduler/InvocationDroppedCount/Test-Sliceflow-ViewPublisher-Sweep-ScheduleGroup in 300 s ≥ 1, 1 of 1',
  CanaryLate:
    'critical: IF(FILL(running, 0) < 1, 0, FILL(delay, 10)) of Maximum of Sliceflow/CanaryDelay/Test/Sliceflow in 60 s,Sum of Sliceflow/RelayUp/Test/Sliceflow in 60 s ≥ 10, 3 of 5',
  CanaryFailed: 'critical: Sum of Sliceflow/CanaryFailures/Test/Sliceflow in 60 s ≥ 1, 3 of 5',
  FailedKeysByCluster: `SELECT SUM(FailedKeys) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY SUM() DESC in 300 s ≥ 10, 3 of 3`,
  WatchSilentByCluster: `SELECT MAX(RelayWatchLastByteSeconds) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY MAX() DESC in 60 s ≥ 180, 3 of 3`,
  ClusterUnreachableByCluster: `SELECT MAX(RelayWatchFailing) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY MAX() DESC in 60 s ≥ 1, 5 of 5`,
  KeysRejectedByCluster: `SELECT SUM(RelayKeysRejected) FROM SCHEMA("Sliceflow", Cluster, Deployment, Lane) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY SUM() DESC in 300 s ≥ 1, 1 of 1`,
  CanaryLateByCluster: `SELECT MAX(CanaryDelay) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY MAX() DESC in 60 s ≥ 10, 3 of 5`,
  CanaryFailedByCluster: `SELECT SUM(CanaryFailures) FROM SCHEMA("Sliceflow", Cluster, Deployment) WHERE Deployment = 'Test/Sliceflow' GROUP BY Cluster ORDER BY SUM() DESC in 60 s ≥ 1, 3 of 5`,
}

const CLUSTER_SETS = '[{"name":"prod","clusters":[{"name":"*"}]}]'

const rulesOf = (template: Template): Record<string, string> =>
  Object.fromEntries(
    Object.entries(alarmsOf(template)).map(([id, alarm]) => [
      id,
      [severityOf(template, id), ruleOf(alarm)].filter(Boolean).join(': '),
    ]),
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
      coalescingWindow: 7,
      clusterSets: CLUSTER_SETS,
    }
    const alarms = alarmsOf(templateOf({ bundles, canary: true, views, settings }, testApp(bundles)))
    const thresholds = Object.entries(alarms).map(([id, { Threshold }]) => [id, Threshold])
    expect(Object.fromEntries(thresholds)).toMatchObject({
      LiveAge: 60 + 2 + 20,
      LiveAgeQuiet: 60 + 2 + 20,
      SweepAge: 1200 + 600 + 30 + 20,
      ReconcileDuration: 24_000,
      AuditDuration: 24_000,
      Latency: 60 + 20 + 7,
      FleetLatency: 60 + 20 + 7,
      CanaryLate: 60 + 20 + 7,
      KeysPending: 60 + 7,
      ViewPublisherAge: 1200 + 2 + 20,
    })
    expect(ruleOf(alarms.RelayDown as AlarmProperties)).toMatch(/^3 - FILL\(running, 0\) of Sum/)
    expect(ruleOf(alarms.FleetConflicts as AlarmProperties)).toContain('in 1800 s ≥ 1, 3 of 3')
  })
})
