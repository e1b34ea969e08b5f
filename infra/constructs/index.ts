export type { ClusterConfig, ClusterTag } from '../../shared/clusters/index.ts'
export type {
  DeploymentSettings,
  DeploymentSettingsInput,
  DeploymentSettingsProps,
  FleetInput,
  VpcEndpoints,
} from '../settings/index.ts'
export { DeploymentError, describeDeploymentSettings, parseDeploymentSettings } from '../settings/index.ts'
export {
  AccountAccess,
  type AccountAccessProps,
  type ClusterAccess,
  type ClusterAccessProps,
  type ClusterUser,
  kubernetesGroup,
} from './access/index.ts'
export type {
  AlarmOverride,
  AlarmOverrides,
  Alarms,
  AlarmsProps,
  Severity,
} from './alarms/index.ts'
export type { Overview, OverviewProps } from './dashboard.ts'
export type {
  AuditFunction,
  AuditFunctionProps,
  Bundles,
  CanaryFunction,
  CanaryFunctionProps,
  FunctionOverrides,
  FunctionSurroundings,
  ReconcileFunction,
  ReconcileFunctionProps,
  SliceflowFunction,
  SliceflowFunctionProps,
} from './functions/index.ts'
export type { FunctionNetwork } from './network/index.ts'
export type {
  ExistingQueue,
  KeyQueue,
  KeyQueueProps,
  LaneQueues,
  LaneQueuesProps,
  OwnQueueProps,
} from './queues/index.ts'
export type { Recordings } from './recordings.ts'
export type {
  RelayNetwork,
  RelayOverrides,
  RelayProps,
  RelayQueues,
  RelayService,
  RelayTask,
} from './relay/index.ts'
export { Sliceflow } from './sliceflow.ts'
export type { SliceflowProps } from './sliceflow-props.ts'
export type { ViewPublisher, ViewPublisherProps, ViewsProps } from './views/index.ts'
