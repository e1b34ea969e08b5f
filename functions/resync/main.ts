import type { ScheduledHandler } from 'aws-lambda'
import { once } from '../../shared/clusters/index.ts'
import { createDeployedResync } from './from-environment.ts'

/** Made with the first event and kept for the life of the execution environment. */
const deployed = once(async () => createDeployedResync({ environment: process.env }))

/** The entry point of the resync function, which a schedule calls. */
export const handler: ScheduledHandler = async (event, context, callback) =>
  (await deployed())(event, context, callback)
