import type { ScheduledHandler } from 'aws-lambda'
import {
  type Aws,
  createAws,
  createClusterClients,
  createClusterDirectory,
  withBudget,
} from '../../shared/clusters/index.ts'
import { createEmfMetrics, createLogger } from '../../shared/telemetry/index.ts'
import { createInvocation, type Environment, readClusters, readSettings } from '../environment/index.ts'
import { createCanaryHandler } from './canary.ts'
import { createCanaryMetrics } from './metrics.ts'

export interface DeployedCanaryOptions {
  readonly environment: Environment
  /** Default: AWS itself. */
  readonly aws?: Aws
  readonly write?: (line: string) => void
}

/**
 * The canary as it is deployed. A search for clusters that fails is told by the resync function, whose work
 * it is.
 * @throws EnvironmentError naming what is missing or wrong
 */
export function createDeployedCanary({
  environment,
  aws = createAws(),
  write,
}: DeployedCanaryOptions): ScheduledHandler {
  const invocation = createInvocation(environment)
  const logger = createLogger({ fields: invocation.fields, ...(write && { write }) })
  const settings = readSettings(environment, logger)
  const directory = createClusterDirectory({ clusters: readClusters(environment), aws, logger })
  const clusters = createClusterClients(directory, logger, withBudget(settings.apiCallsPerSecond))
  const metrics = createCanaryMetrics(createEmfMetrics({ ...(write && { write }) }))
  return async (event, context, callback) => {
    invocation.began(context)
    const clients = await clusters.refresh()
    await createCanaryHandler({ clients, metrics, logger })(event, context, callback)
  }
}
