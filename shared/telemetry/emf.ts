/** Units of CloudWatch that are in use here. */
export type EmfUnit = 'Count' | 'Milliseconds' | 'Seconds'

export interface EmfOptions {
  /** Dimensions of every metric, such as that of the deployment; default: none. */
  readonly dimensions?: Dimensions
  /** Writer of lines; default: standard output, where Lambda and the awslogs driver pick them up. */
  readonly write?: (line: string) => void
  /** Clock, in milliseconds since the epoch; default: the system's. */
  readonly now?: () => number
}

export interface EmfMetrics {
  /** Adds up until the next flush: one value of CloudWatch, however often it was called. */
  count(name: string, by?: number, dimensions?: Dimensions): void
  /** Adds a value that counts on its own, for percentiles. */
  observe(name: string, unit: EmfUnit, value: number, dimensions?: Dimensions): void
  /** Writes what was gathered, a line for each set of dimensions, and forgets it. */
  flush(): void
}

/** Dimensions such as `{ Cluster: 'eu-1' }`: each combination with a metric is one that CloudWatch bills. */
export type Dimensions = Readonly<Record<string, string>>

export const EMF_NAMESPACE = 'Sliceflow'
/**
 * Dimension of every metric of a deployment on AWS: several deployments of an account and region would
 * otherwise add up to one metric, and hide each other's failures.
 */
export const DEPLOYMENT_DIMENSION = 'Deployment'

/** Maximum number of values of a metric that CloudWatch accepts in one line. */
const MAX_VALUES = 100

interface Metric {
  readonly unit: EmfUnit
  readonly values: number[]
}

interface Group {
  readonly dimensions: Dimensions
  readonly metrics: Map<string, Metric>
}

/**
 * Creates metrics in CloudWatch's embedded metric format: log lines that CloudWatch Logs turns into metrics,
 * without a request of ours. Values are gathered until `flush`, so that an invocation costs one line and not
 * one a key.
 */
export function createEmfMetrics({
  dimensions: ofAll = {},
  write = (line) => void process.stdout.write(line),
  now = Date.now,
}: EmfOptions = {}): EmfMetrics {
  const groups = new Map<string, Group>()

  function metricOf(name: string, unit: EmfUnit, dimensions: Dimensions): Metric {
    const key = JSON.stringify(dimensions)
    const group = groups.get(key) ?? { dimensions: { ...ofAll, ...dimensions }, metrics: new Map() }
    groups.set(key, group)
    const metric = group.metrics.get(name) ?? { unit, values: [] }
    group.metrics.set(name, metric)
    return metric
  }

  return {
    count(name, by = 1, dimensions = {}) {
      const { values } = metricOf(name, 'Count', dimensions)
      values[0] = (values[0] ?? 0) + by
    },
    observe(name, unit, value, dimensions = {}) {
      metricOf(name, unit, dimensions).values.push(value)
    },
    flush() {
      for (const group of groups.values()) for (const line of linesOf(group, now())) write(`${line}\n`)
      groups.clear()
    },
  }
}

function linesOf({ dimensions, metrics }: Group, timestamp: number): string[] {
  const longest = Math.max(...[...metrics.values()].map(({ values }) => values.length))
  return Array.from({ length: Math.ceil(longest / MAX_VALUES) }, (_, line) => {
    const parts = [...metrics].flatMap(([name, { unit, values }]) => {
      const some = values.slice(line * MAX_VALUES, (line + 1) * MAX_VALUES)
      return some.length === 0 ? [] : [{ name, unit, value: some.length === 1 ? some[0] : some }]
    })
    return JSON.stringify({
      _aws: {
        Timestamp: timestamp,
        CloudWatchMetrics: [
          {
            Namespace: EMF_NAMESPACE,
            Dimensions: [Object.keys(dimensions)],
            Metrics: parts.map(({ name, unit }) => ({ Name: name, Unit: unit })),
          },
        ],
      },
      ...dimensions,
      ...Object.fromEntries(parts.map(({ name, value }) => [name, value])),
    })
  })
}
