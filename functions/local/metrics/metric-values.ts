import type { Registry } from 'prom-client'

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
