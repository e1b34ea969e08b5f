export { openClusterSets } from './cluster-sets.ts'
export { DEPLOYMENT_FILE, withDeploymentFile } from './deployment-file.ts'
export {
  type Environment,
  EnvironmentError,
  type LaneUrls,
  readClusters,
  readLaneUrls,
  readPort,
  readQueueUrl,
  readSettings,
  readViewPublisherUrls,
  required,
  VARIABLES,
} from './environment.ts'
export { type DeployedQueues, openDeployedQueues } from './queues.ts'
export { type DeployedRecording, type DeployedRecordingOptions, openDeployedRecording } from './recording.ts'
export {
  type DeployedSchedule,
  type DeployedScheduleOptions,
  openDeployedSchedule,
} from './scheduled.ts'
export { STACK_OUTPUTS } from './stack-outputs.ts'
export {
  createInvocation,
  type Invocation,
  type InvocationFields,
  openDeployedLog,
  openDeployedMetrics,
} from './telemetry.ts'
