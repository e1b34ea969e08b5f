import type { ScheduledHandler } from 'aws-lambda'
import { once } from '../../shared/values/index.ts'
import { createDeployedCanary } from '../canary/from-environment.ts'
import { withDeploymentFile } from '../environment/index.ts'
import { createDeployedAudit } from './from-environment.ts'

/** Created with the first event and reused for the life of the execution environment. */
const deployed = once(async () =>
  createDeployedAudit({ environment: withDeploymentFile(import.meta.dirname) }),
)
const deployedCanary = once(async () =>
  createDeployedCanary({ environment: withDeploymentFile(import.meta.dirname) }),
)

/** Serves as entry point of the audit function, which a schedule calls. */
export const handler: ScheduledHandler = async (event, context, callback) =>
  (await deployed())(event, context, callback)

/** The entry point of the canary, which has a schedule of its own and needs the code of this bundle. */
export const canary: ScheduledHandler = async (event, context, callback) =>
  (await deployedCanary())(event, context, callback)
