import type { ScheduledHandler } from 'aws-lambda'
import { once } from '../../shared/values/index.ts'
import { withDeploymentFile } from '../environment/index.ts'
import {
  createDeployedViewPublisher,
  createDeployedViewPublisherSweep,
  type DeployedViewPublisherHandler,
} from './from-environment.ts'

/** Created with the first event, and reused in the execution environment; throws if it is misconfigured. */
const deployed = once(() =>
  createDeployedViewPublisher({ environment: withDeploymentFile(import.meta.dirname) }),
)
const deployedSweep = once(async () =>
  createDeployedViewPublisherSweep({ environment: withDeploymentFile(import.meta.dirname) }),
)

/** The entry point of the view publisher, whose mapping must have `ReportBatchItemFailures`. */
export const handler: DeployedViewPublisherHandler = async (event, context) =>
  (await deployed())(event, context)

/** Serves as entry point of the sweep of what is published, which a schedule calls. */
export const sweep: ScheduledHandler = async (event, context, callback) =>
  (await deployedSweep())(event, context, callback)
