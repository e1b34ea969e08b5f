export { openClusterSets } from './cluster-sets.ts'
export { DEPLOYMENT_FILE, withDeploymentFile } from './deployment-file.ts'
export {
  type Environment,
  EnvironmentError,
  type LaneUrls,
  optional,
  readClusters,
  readLaneUrls,
  readPort,
  readQueueUrl,
  readSettings,
  readViewPublisherQueue,
  readViewPublisherUrls,
  required,
  STACK_OUTPUTS,
  VARIABLES,
} from './environment.ts'
export { type DeployedOptions, openDeployedFunction } from './function.ts'
export { openDeployedQueues } from './queues.ts'
export { openDeployedRecording } from './recording.ts'
export { createInvocation, openDeployedLog, openDeployedMetrics } from './telemetry.ts'
