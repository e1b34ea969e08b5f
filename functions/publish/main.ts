import type { ScheduledHandler } from 'aws-lambda'
import { once } from '../../shared/clusters/index.ts'
import {
  createDeployedDiscover,
  createDeployedDiscoverSweep,
  type DeployedDiscoverHandler,
} from './from-environment.ts'

/**
 * Made with the first event and kept for the life of the execution environment: a wrong environment is told
 * by every event.
 */
const deployed = once(() => createDeployedDiscover({ environment: process.env }))
const deployedSweep = once(async () => createDeployedDiscoverSweep({ environment: process.env }))

/**
 * Serves as entry point of the discover function, by the event source mapping of its queue, with
 * `ReportBatchItemFailures`.
 */
export const handler: DeployedDiscoverHandler = async (event, context) => (await deployed())(event, context)

/** Serves as entry point of the sweep of what is published, which a schedule calls. */
export const sweep: ScheduledHandler = async (event, context, callback) =>
  (await deployedSweep())(event, context, callback)
