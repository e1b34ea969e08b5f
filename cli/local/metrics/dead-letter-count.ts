import type { Registry } from 'prom-client'
import type { StatusDocument } from '../status/document.ts'

interface DeadLetterCountOptions {
  readonly registry: Registry
  readonly status: () => StatusDocument
  /** Between two requests to the queues, in milliseconds: SQS takes money for each. */
  readonly everyMs: number
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** The number of dead letters, for those who show it all the time: the queues are asked once in a while. */
export function createDeadLetterCount({ registry, status, everyMs, now = Date.now }: DeadLetterCountOptions) {
  let latest: { readonly at: number; readonly count: Promise<number | undefined> } | undefined
  return {
    /** Resolves to their approximate number; undefined if no queue reports it. */
    read(): Promise<number | undefined> {
      const at = now()
      if (latest === undefined || at - latest.at >= everyMs)
        latest = { at, count: countDeadLetters(registry, status()) }
      return latest.count
    },
    forget(): void {
      latest = undefined
    },
  }
}

/** Counts dead letters. Lanes that share a queue count once. */
async function countDeadLetters(
  registry: Registry,
  { lanes = [] }: StatusDocument,
): Promise<number | undefined> {
  const values = await readMetric(registry, 'sliceflow_queue_dead_letters')
  if (values.length === 0) return undefined
  const urls = new Map(lanes.map(({ lane, deadLetters }) => [lane as string, deadLetters]))
  const byUrl = new Map(
    values.map((value) => [urls.get(String(value.labels.lane)) ?? value.labels.lane, value]),
  )
  return sumOf([...byUrl.values()])
}

export interface MetricValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>
  readonly value: number
}

/** Reads the values of one metric, by its labels; none if there is no such metric. */
export async function readMetric(registry: Registry, name: string): Promise<readonly MetricValue[]> {
  const metric = registry.getSingleMetric(name)
  return metric === undefined ? [] : (await metric.get()).values
}

export const sumOf = (values: readonly MetricValue[]): number =>
  values.reduce((sum, { value }) => sum + value, 0)
