import type { Template } from 'aws-cdk-lib/assertions'
import { resourcesOf } from '../template.fixtures.ts'

interface MetricOfAlarm {
  readonly Namespace?: string
  readonly MetricName?: string
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[]
  readonly Period?: number
}

interface MetricQuery {
  readonly Id: string
  readonly Expression?: string
  readonly Period?: number
  readonly MetricStat?: { readonly Metric: MetricOfAlarm; readonly Period: number; readonly Stat: string }
}

export interface AlarmProperties extends MetricOfAlarm {
  readonly Statistic?: string
  readonly ExtendedStatistic?: string
  readonly Metrics?: readonly MetricQuery[]
  readonly Threshold: number
  readonly ComparisonOperator: string
  readonly EvaluationPeriods: number
  readonly DatapointsToAlarm: number
  readonly TreatMissingData: string
}

/** A metric that an alarm reads. */
export interface ReadMetric {
  readonly namespace: string
  readonly name: string
  /**
   * Dimensions in the order of their names; a resource of the stack has its name here, without CDK's hash.
   */
  readonly dimensions: Readonly<Record<string, string>>
  readonly statistic: string
  /** Period in seconds. */
  readonly period: number
}

/** Returns the metrics that an alarm reads, directly or in an expression. */
export function metricsRead(properties: AlarmProperties): ReadMetric[] {
  const { Metrics = [], Statistic, ExtendedStatistic, Period = 0 } = properties
  if (properties.MetricName !== undefined)
    return [readMetric(properties, Statistic ?? ExtendedStatistic ?? '', Period)]
  return Metrics.flatMap(({ MetricStat }) =>
    MetricStat === undefined ? [] : [readMetric(MetricStat.Metric, MetricStat.Stat, MetricStat.Period)],
  )
}

function readMetric(
  { Namespace = '', MetricName = '', Dimensions = [] }: MetricOfAlarm,
  statistic: string,
  period: number,
): ReadMetric {
  const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, plain(Value)]))
  return { namespace: Namespace, name: MetricName, dimensions, statistic, period }
}

/**
 * Returns the plain name of a reference: `{ 'Fn::GetAtt': ['SliceflowLiveQueue8A55B0CF', 'QueueName'] }` →
 * `LiveQueue`.
 */
function plain(value: unknown): string {
  if (typeof value === 'string') return value.replace(/-[0-9A-F]{8}$/, '')
  return /"Sliceflow(\w+?)[0-9A-F]{8}"/.exec(JSON.stringify(value))?.[1] ?? ''
}

/** Returns the alarms of a deployment by their names in it, without CDK's hash. */
export function alarmsOf(template: Template): Record<string, AlarmProperties> {
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm')
  return Object.fromEntries(
    alarms.map(([id, { Properties }]) => [
      id.replace(/^SliceflowAlarms(\w+)[0-9A-F]{8}$/, '$1'),
      Properties as unknown as AlarmProperties,
    ]),
  )
}

/**
 * Describes what makes an alarm ring, such as `Sum of Sliceflow/FailedKeys in 300 s ≥ 10, 3 of 3`; and what
 * no data means, unless that nothing is wrong.
 */
export function ruleOf(properties: AlarmProperties): string {
  const { Metrics = [], ComparisonOperator, Threshold, DatapointsToAlarm, EvaluationPeriods } = properties
  const expressions = Metrics.flatMap(({ Expression, Period }) => {
    if (Expression === undefined) return []
    return Expression.startsWith('SELECT') ? `${Expression} in ${Period} s` : `${Expression} of `
  })
  const read = metricsRead(properties).map(
    ({ namespace, name, dimensions, statistic, period }) =>
      `${statistic} of ${[namespace, name, ...Object.values(dimensions)].join('/')} in ${period} s`,
  )
  const compared = ComparisonOperator === 'GreaterThanOrEqualToThreshold' ? '≥' : ComparisonOperator
  return `${expressions.join()}${read.join()} ${compared} ${Threshold}, ${DatapointsToAlarm} of ${EvaluationPeriods}${properties.TreatMissingData === 'notBreaching' ? '' : `, no data: ${properties.TreatMissingData}`}`
}

/** Finds the composite alarm that includes an alarm. */
export function severityOf(template: Template, alarm: string): string {
  const composites = resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm').filter(([, { Properties }]) =>
    new RegExp(`"SliceflowAlarms${alarm}[0-9A-F]{8}"`).test(JSON.stringify(Properties.AlarmRule)),
  )
  return composites.map(([id]) => id.replace(/^SliceflowAlarms(\w+)[0-9A-F]{8}$/, '$1').toLowerCase()).join()
}
