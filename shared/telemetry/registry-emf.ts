import type { Registry } from 'prom-client'
import type { Dimensions, EmfMetrics, EmfUnit } from './emf.ts'

export interface RegistryEmfOptions {
  readonly registry: Registry
  readonly metrics: EmfMetrics
  /** Labels that become dimensions; others are summed up, as each is billed. Default cluster and lane. */
  readonly dimensions?: readonly string[]
  /** Prefix of every name, to distinguish this process's metrics from others. Default: none. */
  readonly prefix?: string
  /** A label with more values than this is folded as well; default 20. */
  readonly maximumValues?: number
  /**
   * Metrics that keep their labels nevertheless where a value is at least this, and for
   * {@link NAMED_WRITES} after that, by their names in CloudWatch without the prefix: so what is wrong is
   * named, however much is folded. Default: none.
   */
  readonly named?: Readonly<Record<string, number>>
}

/** Long enough for a value to be written as it is again, so that graphs and alarms end. */
export const NAMED_WRITES = 10

/**
 * Writes a Prometheus registry in CloudWatch's embedded metric format:
 * `sliceflow_relay_keys_sent_total{cluster,lane}` becomes `RelayKeysSent` with the dimensions Cluster and
 * Lane, and once more without dimensions, so that alarms need not know the clusters. Gauges are written as
 * they are, folded to the largest; counters as what was added since the last time, folded to the sum;
 * histograms as such counters of their count and sum.
 */
interface RegistryEmf {
  write(): Promise<void>
}

interface Sample {
  /** Name of the metric in Prometheus. */
  readonly name: string
  readonly isGauge: boolean
  readonly labels: Readonly<Record<string, string | number | undefined>>
  readonly value: number
}

interface Folded {
  readonly name: string
  readonly isGauge: boolean
  readonly dimensions: Dimensions
  value: number
}

export function createRegistryEmf({
  registry,
  metrics,
  dimensions = ['cluster', 'lane'],
  prefix = '',
  maximumValues = 20,
  named = {},
}: RegistryEmfOptions): RegistryEmf {
  let before = new Map<string, number>()
  /** Writes for which samples are still named. */
  const naming = new Map<string, number>()

  /** Returns the increase since the last call; new or reset counters count from 0, and zeros are omitted. */
  function sinceLastTime(samples: readonly Sample[]): Sample[] {
    const after = new Map<string, number>()
    const since = samples.flatMap((sample) => {
      if (sample.isGauge) return sample
      if (sample.value === 0) return []
      const key = keyOf(sample)
      after.set(key, sample.value)
      const known = before.get(key) ?? 0
      return { ...sample, value: sample.value >= known ? sample.value - known : sample.value }
    })
    before = after
    return since
  }

  function isNamed(sample: Sample): boolean {
    const key = keyOf(sample)
    const writes =
      sample.value >= (named[cloudWatchName(sample.name)] ?? Number.POSITIVE_INFINITY)
        ? NAMED_WRITES
        : (naming.get(key) ?? 0) - 1
    if (writes >= 0) naming.set(key, writes)
    else naming.delete(key)
    return writes >= 0
  }

  return {
    async write() {
      const samples = sinceLastTime(await samplesOf(registry))
      const unfolded = dimensions.filter((label) => valuesOf(samples, label).size <= maximumValues)
      const labelsOf = (sample: Sample) =>
        unfolded.length < dimensions.length && isNamed(sample) ? [unfolded, dimensions] : [unfolded]
      for (const { name, dimensions: set, value } of fold(samples, labelsOf))
        metrics.observe(prefix + cloudWatchName(name), unitOf(name), value, set)
      metrics.flush()
    },
  }
}

const valuesOf = (samples: readonly Sample[], label: string): Set<unknown> =>
  new Set(samples.map(({ labels }) => labels[label]).filter((value) => value !== undefined))

const keyOf = ({ name, labels }: Sample): string => `${name} ${JSON.stringify(labels)}`

/**
 * Adds up each metric once for each set of dimension values, and once without any.
 * @param labelsOf returns the sets of labels that become dimensions of a sample
 */
function fold(
  samples: readonly Sample[],
  labelsOf: (sample: Sample) => readonly (readonly string[])[],
): Iterable<Folded> {
  const folded = new Map<string, Folded>()
  for (const sample of samples) {
    const { name, isGauge, labels, value } = sample
    const sets = labelsOf(sample).map((names) => dimensionsOf(labels, names))
    const distinct = new Map([...sets, {}].map((dimensions) => [JSON.stringify(dimensions), dimensions]))
    for (const [text, dimensions] of distinct) {
      const key = `${name} ${text}`
      const known = folded.get(key)
      if (known === undefined) folded.set(key, { name, isGauge, dimensions, value })
      else known.value = isGauge ? Math.max(known.value, value) : known.value + value
    }
  }
  return folded.values()
}

const dimensionsOf = (labels: Sample['labels'], names: readonly string[]): Dimensions =>
  Object.fromEntries(
    names
      .filter((label) => labels[label] !== undefined)
      .map((label) => [capitalized(label), String(labels[label])]),
  )

const unitOf = (name: string): EmfUnit => (/_seconds(_sum)?$/.test(name) ? 'Seconds' : 'Count')

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** Names a metric for CloudWatch: `sliceflow_relay_keys_sent_total` → `RelayKeysSent`. */
const cloudWatchName = (name: string): string =>
  name
    .replace(/^sliceflow_/, '')
    .replace(/_total$/, '')
    .split('_')
    .map(capitalized)
    .join('')

async function samplesOf(registry: Registry): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const metric of await registry.getMetricsAsJSON()) {
    // prom-client types this as its enum, and delivers the text.
    const type = String(metric.type)
    for (const { labels, value, ...more } of metric.values) {
      const name = 'metricName' in more ? String(more.metricName) : metric.name
      const isTotal = type === 'counter' || /_(count|sum)$/.test(name)
      if (type === 'gauge' || isTotal) samples.push({ name, isGauge: type === 'gauge', labels, value })
    }
  }
  return samples
}
