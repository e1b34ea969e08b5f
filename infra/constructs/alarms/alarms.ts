import { Names, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { alarmSpecs } from './list.ts'
import { type AlarmOverrides, withOverrides } from './overrides.ts'
import type { AlarmedParts } from './reported.ts'
import type { Severity, WholeSpec } from './spec.ts'

interface AlarmsProps extends AlarmedParts {
  readonly topics: AlarmTopics
  /** Default: none is other than ours. */
  readonly overrides?: AlarmOverrides | undefined
  /** Address of the folder of runbooks, such as `https://…/blob/main/infra/runbooks`. */
  readonly runbooks: string
}

interface AlarmTopics {
  /** Topic of the composite alarms, for on-call. */
  readonly onCall: ITopic
  /** Topic of every alarm on its own: for a channel to read. */
  readonly detail: ITopic
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
    const action = new SnsAction(props.topics.onCall)
    const detail = new SnsAction(props.topics.detail)
    this.alarms = specs.map((spec) => createAlarm(this, spec, props.runbooks))
    this.byCluster = specs.flatMap(ofEachCluster).map((spec) => createAlarm(this, spec, props.runbooks))
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
}

/** Creates the alarm that a spec describes, with the address of its runbook. */
export const createAlarm = (
  scope: Construct,
  { id, runbook, meaning, metric, threshold, periods, bad, missing }: WholeSpec,
  runbooks: string,
): Alarm =>
  new Alarm(scope, id, {
    alarmDescription: `Sliceflow: ${meaning} What to do: ${runbooks}/${runbook}.md`,
    metric,
    threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: bad,
    treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
  })

/** Returns the alarm that names the cluster. A cluster without data is gone, or nothing is wrong there. */
const ofEachCluster = ({ byCluster, missing: _, ...spec }: WholeSpec): WholeSpec[] =>
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

/**
 * Creates a topic that takes TLS only, and that CloudWatch’s alarms of this account may publish to. A policy
 * of our own takes the place of SNS’ default one, which lets alarms publish.
 */
export function createAlertTopic(scope: Construct, id: string, masterKey?: IKey): Topic {
  const topic = new Topic(scope, id, { enforceSSL: true, ...(masterKey && { masterKey }) })
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  )
  return topic
}
