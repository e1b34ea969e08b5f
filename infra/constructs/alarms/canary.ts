import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { CANARY_METRICS } from '../../../functions/canary/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import type { DeploymentMetrics } from '../metrics.ts'
import type { AlarmSpec } from './spec.ts'

/**
 * Returns the alarms of the canary: late, failed, or silent, which is what a function that does not run is.
 */
export const canaryAlarms = (
  { latencyTarget }: DeploymentSettings,
  metrics: DeploymentMetrics,
): AlarmSpec[] => [
  {
    id: 'CanaryLate',
    runbook: 'canary',
    severity: 'critical',
    meaning: `changes of the canary’s Service take ${latencyTarget} s or longer, or report no delay.`,
    metric: metrics.of(CANARY_METRICS.delay, { statistic: 'Maximum' }),
    byCluster: metrics.ofClusters(CANARY_METRICS.delay, { statistic: 'Maximum' }),
    threshold: latencyTarget,
    periods: 5,
    bad: 3,
    missing: TreatMissingData.BREACHING,
  },
  {
    id: 'CanaryFailed',
    runbook: 'canary',
    severity: 'critical',
    meaning: 'changes of the canary’s Service in a cluster cannot be made, or no slice shows them.',
    metric: metrics.of(CANARY_METRICS.failures, { statistic: 'Sum' }),
    byCluster: metrics.ofClusters(CANARY_METRICS.failures, { statistic: 'Sum' }),
    threshold: 1,
    periods: 5,
    bad: 3,
  },
]
