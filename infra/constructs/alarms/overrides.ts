import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { didYouMean } from '../../../shared/schema/index.ts'
import { DeploymentError } from '../../settings/index.ts'
import { type AlarmSpec, type Severity, type WholeSpec, withDefaults } from './spec.ts'

/** Parts of an alarm that are other than ours. */
export interface AlarmOverride {
  /** Rings at or above this. */
  readonly threshold?: number
  /** Number of periods that are evaluated. */
  readonly evaluationPeriods?: number
  /** How many of these periods must be bad. */
  readonly datapointsToAlarm?: number
  /** Composite alarm that it is one of. */
  readonly severity?: Severity
  /**
   * Whether another alarm of the same name and `ByCluster` has a state for each cluster, and names it;
   * default true where the metric is by cluster.
   */
  readonly byCluster?: boolean
}

/** Alarms that are other than ours, by their names in the deployment; false: there is none. */
export type AlarmOverrides = Readonly<Record<string, AlarmOverride | false>>

/** Thresholds that follow a setting, which the alarm's text and the dashboard have, too. */
const BY_SETTING: Readonly<Record<string, string>> = {
  Latency: 'latencyTarget',
  FleetLatency: 'latencyTarget',
  CanaryLate: 'latencyTarget',
}
/** CloudWatch evaluates one day at most. */
const DAY_SECONDS = 86_400

/** @throws DeploymentError for an alarm that is not there, or that CloudWatch would refuse */
export function withOverrides(specs: readonly AlarmSpec[], overrides: AlarmOverrides = {}): WholeSpec[] {
  const ids = specs.map(({ id }) => id)
  for (const name of Object.keys(overrides))
    if (!ids.includes(name))
      throw new DeploymentError(
        `alarms: ${name} is not an alarm of this deployment${didYouMean(name, ids)}; it has ${ids.join(', ')}`,
      )
  return specs.map(withDefaults).flatMap((spec) => {
    const override = overrides[spec.id]
    return override === false ? [] : [override === undefined ? spec : overridden(spec, override)]
  })
}

function overridden(spec: WholeSpec, override: AlarmOverride): WholeSpec {
  const { id } = spec
  const {
    threshold = spec.threshold,
    severity = spec.severity,
    evaluationPeriods: periods = spec.periods,
  } = override
  const bad = override.datapointsToAlarm ?? Math.min(spec.bad, periods)
  const setting = BY_SETTING[id]
  if (override.threshold !== undefined && setting !== undefined)
    throw new DeploymentError(`alarms: the threshold of ${id} is the setting ${setting}; set that one`)
  if (!Number.isFinite(threshold) || threshold <= 0)
    throw new DeploymentError(
      `alarms: ${id} would always ring at a threshold of ${threshold}; give more than 0`,
    )
  if (!isCount(periods) || !isCount(bad) || bad > periods)
    throw new DeploymentError(
      `alarms: ${id} cannot ring with ${bad} bad of ${periods} periods; give whole numbers, datapointsToAlarm not above evaluationPeriods`,
    )
  const seconds = periods * periodOf(spec)
  if (seconds > DAY_SECONDS)
    throw new DeploymentError(
      `alarms: ${id} would look at ${seconds} s, and CloudWatch looks at a day at most; lower evaluationPeriods`,
    )
  const { byCluster, ...others } = spec
  const isByCluster = byCluster !== undefined && override.byCluster !== false
  return { ...others, ...(isByCluster && { byCluster }), threshold, severity, periods, bad }
}

const isCount = (value: number): boolean => Number.isInteger(value) && value > 0

const periodOf = ({ metric }: AlarmSpec): number =>
  metric instanceof Metric || metric instanceof MathExpression ? metric.period.toSeconds() : 60
