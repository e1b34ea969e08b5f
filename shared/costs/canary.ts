import type { CostLine } from './cost-line.ts'
import { COUNTS, type DeploymentSize } from './deployment-size.ts'
import { PRICES } from './prices.ts'
import { MILLION_REQUESTS, REQUESTS_A_BATCH, SECONDS_A_MONTH } from './usage.ts'

/** Mean wait for the slice, which the function polls with growing pauses. */
const WAIT_SECONDS = 0.5

/** Computes the cost of the canary: one change a minute in each cluster, and its measurement. */
export function canaryLine({ canary, clusters, functionMemory, tracing }: DeploymentSize): CostLine {
  const calls = canary ? SECONDS_A_MONTH / 60 : 0
  const { metricMonth, alarmMonth } = PRICES.cloudWatch
  return {
    what: 'canary',
    terms: [
      { quantity: canary ? 1 + clusters : 0, unit: 'metrics', price: metricMonth },
      {
        quantity: canary ? COUNTS.canaryAlarms + COUNTS.canaryAlarmsOfCluster * clusters : 0,
        unit: 'alarms',
        price: alarmMonth,
      },
      {
        quantity: (calls * WAIT_SECONDS * functionMemory) / 1024,
        unit: 'GB-s',
        price: PRICES.lambda.gbSecond,
      },
      {
        quantity: (calls * clusters * REQUESTS_A_BATCH) / 1e6,
        unit: 'M requests to SQS',
        price: MILLION_REQUESTS,
      },
      { quantity: tracing ? calls / 1e6 : 0, unit: 'M traces', price: PRICES.xray.millionTraces },
    ],
    why: canary ? 'a change of each cluster a minute' : 'canary false',
  }
}
