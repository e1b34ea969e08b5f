import { once } from '../../shared/values/index.ts'
import { withDeploymentFile } from '../environment/index.ts'
import { createDeployedHandler, type DeployedHandler } from './from-environment.ts'

/**
 * Created with the first event and reused for the life of the execution environment. A wrong environment
 * fails every event.
 */
const deployed = once(() => createDeployedHandler({ environment: withDeploymentFile(import.meta.dirname) }))

/**
 * Serves as entry point of the reconcile function: event source mappings of both lanes, with
 * `ReportBatchItemFailures`.
 */
export const handler: DeployedHandler = async (event, context) => (await deployed())(event, context)
