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
  ClusterAccess,
  type ClusterAccessProps,
  type ClusterUser,
  kubernetesGroup,
} from './access/index.ts'
export {
  type AlarmOverride,
  type AlarmOverrides,
  Alarms,
  type AlarmsProps,
  type Severity,
} from './alarms/index.ts'
export { Overview, type OverviewProps } from './dashboard.ts'
export type { Bundles, FunctionOverrides } from './functions/index.ts'
export {
  AuditFunction,
  type AuditFunctionProps,
  CanaryFunction,
  type CanaryFunctionProps,
  ReconcileFunction,
  type ReconcileFunctionProps,
  SliceflowFunction,
  type SliceflowFunctionProps,
} from './functions/index.ts'
export type { FunctionNetwork } from './network/index.ts'
export {
  type ExistingQueue,
  KeyQueue,
  type KeyQueueProps,
  LaneQueues,
  type LaneQueuesProps,
  type OwnQueueProps,
} from './queues/index.ts'
export { Recordings } from './recordings.ts'
export type { RelayOverrides } from './relay/index.ts'
export { type RelayProps, RelayService } from './relay/index.ts'
export { Sliceflow } from './sliceflow.ts'
export type { SliceflowProps } from './sliceflow-props.ts'
export { ViewPublisher, type ViewPublisherProps, type ViewsProps } from './views/index.ts'
