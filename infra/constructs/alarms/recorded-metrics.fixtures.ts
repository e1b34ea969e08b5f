import type { ReadMetric } from './alarms.fixtures.ts'

export const MINUTE = 60_000

export interface Series {
  readonly namespace: string
  readonly name: string
  readonly dimensions: Readonly<Record<string, string>>
  /** Values by the minute in which they were written. */
  readonly values: Map<number, number[]>
}

/** What CloudWatch has recorded: of lines in its embedded metric format, and what a test adds. */
export interface RecordedMetrics {
  /** Takes what a relay or a function writes. */
  readonly write: (line: string) => void
  readonly add: (
    metric: Pick<Series, 'namespace' | 'name' | 'dimensions'>,
    minute: number,
    value: number,
  ) => void
  readonly series: () => Iterable<Series>
}

interface EmfLine {
  readonly _aws: {
    readonly Timestamp: number
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string
      readonly Dimensions: readonly (readonly string[])[]
      readonly Metrics: readonly { readonly Name: string }[]
    }[]
  }
  readonly [name: string]: unknown
}

export function createRecordedMetrics(): RecordedMetrics {
  const recorded = new Map<string, Series>()
  const add: RecordedMetrics['add'] = ({ namespace, name, dimensions }, minute, value) => {
    const key = JSON.stringify([namespace, name, Object.entries(dimensions).toSorted()])
    const series = recorded.get(key) ?? { namespace, name, dimensions, values: new Map() }
    recorded.set(key, series)
    series.values.set(minute, [...(series.values.get(minute) ?? []), value])
  }
  return {
    add,
    write(line) {
      const values = JSON.parse(line) as EmfLine
      const minute = Math.floor(values._aws.Timestamp / MINUTE)
      for (const { Namespace: namespace, Dimensions, Metrics } of values._aws.CloudWatchMetrics)
        for (const names of Dimensions) {
          const dimensions = Object.fromEntries(names.map((name) => [name, String(values[name])]))
          for (const { Name: name } of Metrics)
            for (const value of [values[name]].flat())
              add({ namespace, name, dimensions }, minute, Number(value))
        }
    },
    series: () => recorded.values(),
  }
}

const STATISTICS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  SampleCount: (values) => values.length,
  Maximum: (values) => Math.max(...values),
  Minimum: (values) => Math.min(...values),
  p99: (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0,
}

/** Minutes from the first one, which counts, to the last one, which does not. */
export type Window = readonly [from: number, until: number]

/** Returns a statistic of a series in a window; none without data. */
export function statisticOf(
  { values }: Pick<Series, 'values'>,
  statistic: string,
  [from, until]: Window,
): number | undefined {
  const some = Array.from({ length: until - from }, (_, index) => values.get(from + index) ?? []).flat()
  const compute = STATISTICS[statistic]
  if (compute === undefined) throw new Error(`the statistic ${statistic} is not known`)
  return some.length === 0 ? undefined : compute(some)
}

/** Finds the series that a metric names; none where nothing was written. */
export function seriesOf(recorded: RecordedMetrics, { namespace, name, dimensions }: ReadMetric): Series {
  const wanted = JSON.stringify(Object.entries(dimensions).toSorted())
  const found = [...recorded.series()].find(
    (series) =>
      series.namespace === namespace &&
      series.name === name &&
      JSON.stringify(Object.entries(series.dimensions).toSorted()) === wanted,
  )
  return found ?? { namespace, name, dimensions, values: new Map() }
}
