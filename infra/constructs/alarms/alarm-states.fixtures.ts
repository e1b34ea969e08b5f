import { type AlarmProperties, metricsRead } from './alarms.fixtures.ts'
import { evaluateExpression } from './expression.fixtures.ts'
import {
  type RecordedMetrics,
  type Series,
  seriesOf,
  statisticOf,
  type Window,
} from './recorded-metrics.fixtures.ts'

/** A time series that an alarm evaluates: one, or one for each contributor of a query. */
interface Evaluated {
  /** Dimensions by which the query groups; none of an alarm of one time series. */
  readonly contributor: Readonly<Record<string, string>>
  readonly valueIn: (window: Window) => number | undefined
}

/** What CloudWatch sends to an alarm's topics: by contributor, with its attributes, where it has some. */
export interface Notification {
  readonly AlarmDescription: string
  readonly AlarmContributorAttributes?: Readonly<Record<string, string>>
}

/**
 * Evaluates an alarm as CloudWatch does after a minute, over what was recorded, and returns what it notifies
 * of while it is in ALARM: nothing where it is OK.
 */
export function ringing(
  alarm: AlarmProperties & { readonly AlarmDescription?: string },
  recorded: RecordedMetrics,
  minute: number,
): Notification[] {
  const { Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, TreatMissingData } = alarm
  const minutes = periodOf(alarm) / 60
  const windows = Array.from({ length: EvaluationPeriods }, (_, index): Window => {
    const until = minute + 1 - index * minutes
    return [until - minutes, until]
  })
  return evaluatedBy(alarm, recorded).flatMap(({ contributor, valueIn }) => {
    const bad = windows.filter((window) => {
      const value = valueIn(window)
      return value === undefined ? TreatMissingData === 'breaching' : value >= Threshold
    })
    if (bad.length < DatapointsToAlarm) return []
    const isOne = Object.keys(contributor).length === 0
    const AlarmDescription = alarm.AlarmDescription ?? ''
    return [{ AlarmDescription, ...(!isOne && { AlarmContributorAttributes: contributor }) }]
  })
}

const periodOf = ({ Period, Metrics = [] }: AlarmProperties): number =>
  Period ?? Metrics.map(({ Period: own, MetricStat }) => own ?? MetricStat?.Period ?? 0).find(Boolean) ?? 60

function evaluatedBy(alarm: AlarmProperties, recorded: RecordedMetrics): Evaluated[] {
  const { Metrics = [] } = alarm
  const expression = Metrics.find(({ Expression }) => Expression !== undefined)?.Expression
  if (expression?.startsWith('SELECT') === true) return contributorsOf(expression, recorded)
  const read = metricsRead(alarm).map((metric) => ({ series: seriesOf(recorded, metric), ...metric }))
  const values = (window: Window) =>
    read.map(({ series, statistic }) => statisticOf(series, statistic, window))
  if (expression === undefined) return [{ contributor: {}, valueIn: (window) => values(window)[0] }]
  const ids = Metrics.filter(({ MetricStat }) => MetricStat !== undefined).map(({ Id }) => Id)
  const valueIn = (window: Window) => {
    const found = values(window)
    return evaluateExpression(expression, (id) => found[ids.indexOf(id)])
  }
  return [{ contributor: {}, valueIn }]
}

/** Queries of Metrics Insights as alarms have them: with one condition, by one dimension, in an order. */
const QUERY =
  /^SELECT (?<statistic>\w+)\((?<name>\w+)\) FROM SCHEMA\("(?<namespace>\w+)", (?<schema>[\w, ]+)\) WHERE (?<where>\w+) = '(?<equals>[^']*)' GROUP BY (?<group>\w+) ORDER BY \k<statistic>\(\) DESC$/

const STATISTIC_NAMES: Readonly<Record<string, string>> = { MAX: 'Maximum', SUM: 'Sum' }

function contributorsOf(query: string, recorded: RecordedMetrics): Evaluated[] {
  const parts = QUERY.exec(query)?.groups
  if (parts === undefined) throw new Error(`this query is not known: ${query}`)
  const { name, namespace, where = '', equals, group = '' } = parts
  const statistic = STATISTIC_NAMES[parts.statistic ?? ''] ?? ''
  const schema = (parts.schema ?? '').split(', ').toSorted().join()
  const matched = [...recorded.series()].filter(
    (series) =>
      series.namespace === namespace &&
      series.name === name &&
      Object.keys(series.dimensions).toSorted().join() === schema &&
      series.dimensions[where] === equals,
  )
  const groups = Map.groupBy(matched, ({ dimensions }) => dimensions[group] ?? '')
  return [...groups].map(([value, series]) => ({
    contributor: { [group]: value },
    valueIn: (window) => statisticOf({ values: merged(series) }, statistic, window),
  }))
}

function merged(series: readonly Series[]): Series['values'] {
  const values: Series['values'] = new Map()
  for (const one of series)
    for (const [minute, some] of one.values) values.set(minute, [...(values.get(minute) ?? []), ...some])
  return values
}
