import { once } from '../../shared/values/index.ts'
import { withDeploymentFile } from '../environment/index.ts'
import { createDeployedHandler, type DeployedHandler } from './from-environment.ts'

/** Created with the first event, and reused in the execution environment; throws if it is misconfigured. */
const deployed = once(() => createDeployedHandler({ environment: withDeploymentFile(import.meta.dirname) }))

/** The entry point of the reconcile function, whose mappings must have `ReportBatchItemFailures`. */
export const handler: DeployedHandler = async (event, context) => (await deployed())(event, context)
