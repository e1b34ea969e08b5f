export {
  type Environment,
  EnvironmentError,
  type LaneUrls,
  readClusters,
  readLaneUrls,
  readPort,
  readQueueUrl,
  readSettings,
  VARIABLES,
} from './environment.ts'
export { once } from './once.ts'
export { type DeployedQueues, openDeployedQueues } from './queues.ts'
