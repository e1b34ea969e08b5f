import { type CostLine, term } from './cost-line.ts'
import { COUNTS, type DeploymentSize, isFoldedTogether } from './deployment-size.ts'
import type { Load } from './load.ts'
import { PRICES } from './prices.ts'
import { SECONDS_A_MONTH } from './usage.ts'

/** X-Ray traces the first call of a second, and this share of the others. */
const TRACED_SHARE = 0.05

/** Computes the cost of metrics, alarms, the dashboard and traces. */
export function observedLines(size: DeploymentSize, loads: readonly Load[]): CostLine[] {
  const { metricMonth, alarmMonth, compositeAlarmMonth, dashboardMonth } = PRICES.cloudWatch
  const isFolded = isFoldedTogether(size)
  const callsPerSecond = loads.reduce((sum, { calls }) => sum + calls, 0) / SECONDS_A_MONTH
  const tracesPerSecond = callsPerSecond <= 1 ? callsPerSecond : 1 + (callsPerSecond - 1) * TRACED_SHARE
  return [
    {
      what: 'CloudWatch metrics',
      terms: [term(metricsOf(size), 'metrics', metricMonth)],
      why: isFolded
        ? `above ${COUNTS.mostClustersAlone} clusters, and as a standby, a relay has no metrics per cluster`
        : `${COUNTS.metrics}, and ${COUNTS.metricsOfCluster} a cluster; failures add some in their hours`,
    },
    {
      what: 'CloudWatch alarms',
      terms: [
        term(COUNTS.alarms + (size.standby ? COUNTS.standbyAlarms : 0), 'alarms', alarmMonth),
        term(
          isFolded ? 0 : COUNTS.alarmsOfCluster * size.clusters,
          'metrics that alarms by cluster match',
          alarmMonth,
        ),
        term(COUNTS.compositeAlarms, 'composite alarms', compositeAlarmMonth),
      ],
      why: isFolded
        ? 'one composite alarm for each severity; alarms by cluster match clusters that fail'
        : `one composite alarm for each severity; alarms by cluster match ${COUNTS.alarmsOfCluster} metrics of each`,
    },
    {
      what: 'CloudWatch dashboard',
      terms: [term(COUNTS.dashboards, 'dashboard', dashboardMonth)],
      why: 'above those that are free for an account',
    },
    {
      what: 'X-Ray',
      terms: [
        term(
          size.tracing ? (tracesPerSecond * SECONDS_A_MONTH) / 1e6 : 0,
          'M traces',
          PRICES.xray.millionTraces,
        ),
      ],
      why: size.tracing
        ? `of the first call of a second and ${100 * TRACED_SHARE} % of the others`
        : 'tracing false',
    },
  ]
}

function metricsOf(size: DeploymentSize): number {
  if (isFoldedTogether(size)) return COUNTS.metricsFolded
  return COUNTS.metrics + COUNTS.metricsOfCluster * size.clusters
}
