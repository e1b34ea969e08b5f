import type { ScheduledHandler } from 'aws-lambda'
import {
  type Aws,
  createAws,
  createClusterClients,
  createClusterDirectory,
  withBudget,
} from '../../shared/clusters/index.ts'
import { createEmfMetrics } from '../../shared/telemetry/index.ts'
import {
  createInvocation,
  type Environment,
  openDeployedLog,
  openDeployedQueues,
  readClusters,
  readQueueUrl,
  readSettings,
} from '../environment/index.ts'
import { AuditError } from './audit.ts'
import { createResyncHandler } from './handler.ts'
import { createAuditMetrics } from './metrics.ts'
import { createAuditSlots } from './slots.ts'

export interface DeployedResyncOptions {
  readonly environment: Environment
  /** Default: AWS itself. */
  readonly aws?: Aws
  readonly write?: (line: string) => void
}

/**
 * Creates the resync function as it is deployed: the full audit, of which each call sends the keys of one
 * slot to the sweep lane.
 * @throws EnvironmentError naming what is missing or wrong
 */
export function createDeployedResync({
  environment,
  aws = createAws(),
  write,
}: DeployedResyncOptions): ScheduledHandler {
  const invocation = createInvocation(environment)
  const logger = openDeployedLog(environment, { fields: invocation.fields, write })
  const settings = readSettings(environment, logger)
  const directory = createClusterDirectory({ clusters: readClusters(environment), aws, logger })
  const clusters = createClusterClients(directory, logger, withBudget(settings.apiCallsPerSecond))
  const slots = createAuditSlots(settings.auditInterval)
  const sender = openDeployedQueues(logger).sender(readQueueUrl(environment, 'sweep'), {
    delaySeconds: (key) => slots.placeOf(key).delaySeconds,
  })
  const metrics = createAuditMetrics(createEmfMetrics({ ...(write && { write }) }))
  return async (event, context, callback) => {
    invocation.began(context)
    const clients = await clusters.refresh()
    await createResyncHandler({ clients, settings, slots, sender, metrics, logger })(event, context, callback)
    const { unsearched } = clusters.problems()
    if (unsearched.length > 0)
      throw new AuditError(
        unsearched,
        'failed to look for clusters: there may be some whose keys were not sent',
      )
  }
}
