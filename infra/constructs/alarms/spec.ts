import type { IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'

export type Severity = 'critical' | 'warning'

/** An alarm as it is thought of; `Alarms` makes it one of CloudWatch. */
export interface AlarmSpec {
  /** Its name in this stack, of which the runbook's is made: `RelayDown` → `relay-down.md`. */
  readonly id: string
  readonly runbook: string
  /** Default: warning. */
  readonly severity?: Severity
  /** Meaning of the alarm, in one sentence. */
  readonly meaning: string
  readonly metric: IMetric
  /**
   * The same by cluster: a query, of which another alarm is made that names the cluster. This one stays, as a
   * query may find a metric late that has just begun. Default: none.
   */
  readonly byCluster?: IMetric
  /** Rings at or above this. Default: 1. */
  readonly threshold?: number
  /** Number of evaluated periods of the metric. Default: 1. */
  readonly periods?: number
  /** How many of them must be bad. Default: all. */
  readonly bad?: number
  /** Meaning of no data; default: nothing is wrong. */
  readonly missing?: TreatMissingData
  /** Whether the deployment has what it watches. Default true. */
  readonly isNeeded?: boolean
}

/** An alarm with the defaults of what it does not say. */
export type WholeSpec = AlarmSpec & Required<Pick<AlarmSpec, 'severity' | 'threshold' | 'periods' | 'bad'>>

export const withDefaults = (spec: AlarmSpec): WholeSpec => {
  const { severity = 'warning', threshold = 1, periods = 1, bad = periods } = spec
  return { ...spec, severity, threshold, periods, bad }
}
