import type { Registry } from 'prom-client'
import type { StatusDocument } from '../../local/index.ts'
import { readMetric, sumOf } from './metric-values.ts'

/**
 * Counts dead letters, about. Lanes that share a queue count once.
 * @returns undefined where no queue tells
 */
export async function readDeadLetters(
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
