import type { ScheduledHandler } from 'aws-lambda'
import { type DeployedOptions, openDeployedFunction, openDeployedMetrics } from '../environment/index.ts'
import { createCanaryHandler } from './canary.ts'
import { createCanaryMetrics } from './metrics.ts'

/**
 * Creates the canary as it is deployed. A search for clusters that fails is reported by the audit function,
 * not here.
 * @throws EnvironmentError naming what is missing or wrong
 */
export function createDeployedCanary(options: DeployedOptions): ScheduledHandler {
  const { environment, write } = options
  const { invocation, logger, clusters } = openDeployedFunction(options)
  const metrics = createCanaryMetrics(openDeployedMetrics(environment, { write }))
  return async (event, context, callback) => {
    invocation.began(context)
    const clients = await clusters.refresh()
    await createCanaryHandler({ clients, metrics, logger })(event, context, callback)
  }
}
