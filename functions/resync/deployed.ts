import type { ScheduledHandler } from 'aws-lambda'
import { createLogger } from '../../shared/telemetry/index.ts'
import {
  type Aws,
  createAws,
  createClusterClients,
  createClusterDirectory,
  withBudget,
} from '../clusters/index.ts'
import {
  createInvocation,
  type Environment,
  openDeployedQueues,
  readClusters,
  readQueueUrl,
  readSettings,
} from '../deployed/index.ts'
import { createResyncHandler } from './handler.ts'

export interface DeployedResyncOptions {
  readonly environment: Environment
  /** Default: AWS itself. */
  readonly aws?: Aws
  readonly write?: (line: string) => void
}

/**
 * The resync function as it is deployed: every key of every cluster, to the sweep lane.
 * @throws EnvironmentError naming what is missing or wrong
 */
export function createDeployedResync({
  environment,
  aws = createAws(),
  write,
}: DeployedResyncOptions): ScheduledHandler {
  const invocation = createInvocation(environment)
  const logger = createLogger({ fields: invocation.fields, ...(write && { write }) })
  const settings = readSettings(environment)
  const directory = createClusterDirectory({ clusters: readClusters(environment), aws, logger })
  const clusters = createClusterClients(directory, logger, withBudget(settings.apiCallsPerSecond))
  const sender = openDeployedQueues(logger).sender(readQueueUrl(environment, 'sweep'))
  return async (event, context, callback) => {
    invocation.began(context)
    const clients = await clusters.refresh()
    await createResyncHandler({ clients, settings, sender, logger })(event, context, callback)
  }
}
