import type { Registry } from 'prom-client'
import type { Dimensions, EmfMetrics, EmfUnit } from './emf.ts'

export interface RegistryEmfOptions {
  readonly registry: Registry
  readonly metrics: EmfMetrics
  /**
   * Labels that become dimensions; the others are folded together. Each combination of values is a metric to
   * pay for. Default cluster and lane.
   */
  readonly dimensions?: readonly string[]
  /** Prefix of every name, to distinguish this process's metrics from others. Default: none. */
  readonly prefix?: string
  /** A label with more values than this is folded as well; default 20. */
  readonly maximumValues?: number
}

/**
 * Writes a Prometheus registry in CloudWatch's embedded metric format:
 * `sliceflow_relay_keys_sent_total{cluster,lane}` becomes `RelayKeysSent` with the dimensions Cluster and
 * Lane, and once more without dimensions, so that alarms need not know the clusters. Gauges are written as
 * they are, folded to the largest; counters as what was added since the last time, folded to the sum;
 * histograms as such counters of their count and sum.
 */
export interface RegistryEmf {
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
}: RegistryEmfOptions): RegistryEmf {
  let before = new Map<string, number>()

  /**
   * Returns the increase since the last call. A counter that is new or was reset counts from 0. Counters that
   * are still 0 are omitted.
   */
  function sinceLastTime(samples: readonly Sample[]): Sample[] {
    const after = new Map<string, number>()
    const since = samples.flatMap((sample) => {
      if (sample.isGauge) return sample
      if (sample.value === 0) return []
      const key = `${sample.name} ${JSON.stringify(sample.labels)}`
      after.set(key, sample.value)
      const known = before.get(key) ?? 0
      return { ...sample, value: sample.value >= known ? sample.value - known : sample.value }
    })
    before = after
    return since
  }

  return {
    async write() {
      const samples = sinceLastTime(await samplesOf(registry))
      const kept = dimensions.filter((label) => valuesOf(samples, label).size <= maximumValues)
      for (const { name, dimensions: set, value } of fold(samples, kept))
        metrics.observe(prefix + cloudWatchName(name), unitOf(name), value, set)
      metrics.flush()
    },
  }
}

const valuesOf = (samples: readonly Sample[], label: string): Set<unknown> =>
  new Set(samples.map(({ labels }) => labels[label]).filter((value) => value !== undefined))

/** Adds up each metric once for each set of dimension values, and once without any. */
function fold(samples: readonly Sample[], kept: readonly string[]): Iterable<Folded> {
  const folded = new Map<string, Folded>()
  for (const { name, isGauge, labels, value } of samples) {
    const own = kept.filter((label) => labels[label] !== undefined)
    const set = Object.fromEntries(own.map((label) => [capitalized(label), String(labels[label])]))
    for (const dimensions of own.length > 0 ? [set, {}] : [{}]) {
      const key = `${name} ${JSON.stringify(dimensions)}`
      const known = folded.get(key)
      if (known === undefined) folded.set(key, { name, isGauge, dimensions, value })
      else known.value = isGauge ? Math.max(known.value, value) : known.value + value
    }
  }
  return folded.values()
}

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
