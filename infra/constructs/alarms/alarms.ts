import { Names } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { Rule } from 'aws-cdk-lib/aws-events'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { DeploymentSettings } from '../../settings/index.ts'
import type { Lanes } from '../environment.ts'
import type { AuditFunction, ReconcileFunction } from '../functions/index.ts'
import type { DeploymentMetrics } from '../metrics.ts'
import type { ViewPublisher } from '../views/index.ts'
import { canaryAlarms } from './canary.ts'
import { functionAlarms } from './functions.ts'
import { keyAlarms } from './keys.ts'
import { type AlarmOverrides, withOverrides } from './overrides.ts'
import { laneAlarms, viewPublisherQueueAlarms } from './queues.ts'
import { relayAlarms, restartsAlarm } from './relay.ts'
import { auditMissedAlarm, scheduleAlarm } from './schedules.ts'
import type { AlarmSpec, Severity } from './spec.ts'

export interface AlarmsProps {
  readonly lanes: Lanes
  readonly reconcile: ReconcileFunction
  readonly audit: AuditFunction
  /** Function that publishes views. */
  readonly viewPublisher?: ViewPublisher
  /** Whether there is a canary; default false. */
  readonly hasCanary?: boolean
  readonly settings: DeploymentSettings
  /** Metrics of the functions and the relay of this deployment. */
  readonly metrics: DeploymentMetrics
  /** Whether the relays keep checkpoints; default false. */
  readonly keepState?: boolean
  /** Whether every relay is a standby for another deployment's; default false. */
  readonly standby?: boolean
  /** Topic of the composite alarms, for on-call. */
  readonly topic: ITopic
  /** Topic of every alarm on its own: for a channel to read. */
  readonly detailTopic: ITopic
  /** Rule that matches relays that end. */
  readonly relayEnds: Rule
  /** Default: none is other than ours. */
  readonly overrides?: AlarmOverrides | undefined
  /** Address of the folder of runbooks, such as `https://…/blob/main/infra/runbooks`. */
  readonly runbooks: string
}

/** CloudWatch's limit is 255, with the ending. */
const MAX_NAME_LENGTH = 240

/**
 * All alarms, and one composite alarm per severity that notifies the topic. Nothing mutes them during a
 * deployment: a relay goes on until its successor is healthy.
 */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[]
  /** Alarms that have a state for each cluster, and notify both topics of each by its name. */
  readonly byCluster: readonly Alarm[]
  readonly composites: readonly CompositeAlarm[]

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id)
    const specs = withOverrides(alarmSpecs(props), props.overrides)
    const action = new SnsAction(props.topic)
    const detail = new SnsAction(props.detailTopic)
    this.alarms = specs.map((spec) => this.createAlarm(spec, props.runbooks))
    this.byCluster = specs.flatMap(ofEachCluster).map((spec) => this.createAlarm(spec, props.runbooks))
    for (const alarm of this.byCluster) {
      alarm.addAlarmAction(action, detail)
      alarm.addOkAction(action, detail)
    }
    for (const alarm of this.alarms) {
      alarm.addAlarmAction(detail)
      alarm.addOkAction(detail)
    }
    const ofSeverity = (severity: Severity): Alarm[] =>
      this.alarms.filter((_, index) => specs[index]?.severity === severity)
    const severities = (['critical', 'warning'] as const).filter((each) => ofSeverity(each).length > 0)
    this.composites = severities.map((severity) => {
      const name = severity === 'critical' ? 'Critical' : 'Warning'
      const composite = new CompositeAlarm(this, name, {
        // CDK's own name has the id of the stack in it, and not its name: two apps would share it.
        compositeAlarmName: `${Names.uniqueResourceName(this, { maxLength: MAX_NAME_LENGTH, separator: '-' })}-${name}`,
        alarmDescription: `Sliceflow: at least one ${severity} alarm is on. Runbooks: ${props.runbooks}/README.md`,
        alarmRule: AlarmRule.anyOf(
          ...ofSeverity(severity).map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM)),
        ),
      })
      composite.addAlarmAction(action)
      composite.addOkAction(action)
      return composite
    })
  }

  /** @param id of the alarm in this deployment, such as `FailedKeys` */
  named(id: string): Alarm {
    return this.node.findChild(id) as Alarm
  }

  private createAlarm(
    { id, runbook, meaning, metric, threshold, periods, bad, missing }: AlarmSpec,
    runbooks: string,
  ): Alarm {
    return new Alarm(this, id, {
      alarmDescription: `Sliceflow: ${meaning} What to do: ${runbooks}/${runbook}.md`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: bad,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    })
  }
}

/**
 * Returns the alarm that names the cluster. A cluster without data is one that nothing is wrong with, or that
 * is gone.
 */
const ofEachCluster = ({ byCluster, missing: _, ...spec }: AlarmSpec): AlarmSpec[] =>
  byCluster === undefined
    ? []
    : [
        {
          ...spec,
          id: `${spec.id}ByCluster`,
          meaning: `${spec.meaning} AlarmContributorAttributes names the cluster.`,
          metric: byCluster,
        },
      ]

function alarmSpecs({
  lanes,
  reconcile,
  audit,
  viewPublisher,
  hasCanary = false,
  settings,
  metrics,
  keepState = false,
  standby = false,
  relayEnds,
}: AlarmsProps): AlarmSpec[] {
  return [
    ...laneAlarms(lanes, settings),
    ...functionAlarms({ id: 'Reconcile', name: 'reconcile', function: reconcile }, settings),
    ...functionAlarms({ id: 'Audit', name: 'audit', function: audit, isScheduled: true }, settings),
    ...keyAlarms(settings, metrics),
    ...relayAlarms(settings, { keepState, standby }, metrics),
    restartsAlarm(relayEnds),
    scheduleAlarm({ id: 'Schedule', group: audit.scheduleGroup, callee: 'the audit function' }),
    auditMissedAlarm(audit),
    ...(viewPublisher === undefined ? [] : viewPublisherAlarms(viewPublisher, settings)),
    ...(hasCanary ? canaryAlarms(settings, metrics) : []),
  ]
}

const viewPublisherAlarms = (
  { queues, handler, sweep, scheduleGroup }: ViewPublisher,
  settings: DeploymentSettings,
): AlarmSpec[] => [
  ...viewPublisherQueueAlarms(queues, settings),
  ...functionAlarms({ id: 'ViewPublisher', name: 'view publisher', function: handler }, settings),
  ...functionAlarms(
    { id: 'ViewPublisherSweep', name: 'view publisher sweep', function: sweep, isScheduled: true },
    settings,
  ),
  scheduleAlarm({ id: 'ViewPublisherSchedule', group: scheduleGroup, callee: 'the view publisher’s sweep' }),
]
