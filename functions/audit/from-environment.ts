import type { ScheduledHandler } from 'aws-lambda'
import {
  type DeployedOptions,
  openDeployedFunction,
  openDeployedMetrics,
  openDeployedQueues,
  readQueueUrl,
} from '../environment/index.ts'
import { AuditError, createAuditHandler } from './audit.ts'
import { createAuditMetrics } from './metrics.ts'
import { createAuditSlots } from './slots.ts'

/**
 * Creates the audit function as it is deployed: the full audit, of which each call sends the keys of one
 * slot to the sweep lane.
 * @throws EnvironmentError naming what is missing or wrong
 */
export function createDeployedAudit(options: DeployedOptions): ScheduledHandler {
  const { environment, write } = options
  const { invocation, logger, settings, clusters } = openDeployedFunction(options)
  const slots = createAuditSlots(settings.auditInterval)
  const sender = openDeployedQueues(logger).sender(readQueueUrl(environment, 'sweep'), {
    delaySeconds: (key) => slots.placeOf(key).delaySeconds,
  })
  const metrics = createAuditMetrics(openDeployedMetrics(environment, { write }))
  return async (event, context, callback) => {
    invocation.began(context)
    const clients = await clusters.refresh()
    await createAuditHandler({ clients, settings, slots, sender, metrics, logger })(event, context, callback)
    const { unsearched } = clusters.problems()
    if (unsearched.length > 0)
      throw new AuditError(unsearched, 'failed to find all clusters: the keys of some may not have been sent')
  }
}
