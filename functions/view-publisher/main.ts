import type { ScheduledHandler } from 'aws-lambda'
import { once } from '../../shared/values/index.ts'
import { withDeploymentFile } from '../environment/index.ts'
import {
  createDeployedViewPublisher,
  createDeployedViewPublisherSweep,
  type DeployedViewPublisherHandler,
} from './from-environment.ts'

/**
 * Created with the first event and reused for the life of the execution environment. A wrong environment
 * fails every event.
 */
const deployed = once(() =>
  createDeployedViewPublisher({ environment: withDeploymentFile(import.meta.dirname) }),
)
const deployedSweep = once(async () =>
  createDeployedViewPublisherSweep({ environment: withDeploymentFile(import.meta.dirname) }),
)

/**
 * Serves as entry point of the view publisher, by the event source mapping of its queue, with
 * `ReportBatchItemFailures`.
 */
export const handler: DeployedViewPublisherHandler = async (event, context) =>
  (await deployed())(event, context)

/** Serves as entry point of the sweep of what is published, which a schedule calls. */
export const sweep: ScheduledHandler = async (event, context, callback) =>
  (await deployedSweep())(event, context, callback)
