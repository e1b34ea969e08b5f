export type { ClusterConfig, ClusterTag } from '../../shared/clusters/index.ts'
export type {
  DeploymentSettings,
  DeploymentSettingsInput,
  DeploymentSettingsProps,
  FleetInput,
  VpcEndpoints,
} from '../settings/index.ts'
export { DeploymentError, describeDeploymentSettings, parseDeploymentSettings } from '../settings/index.ts'
export { AccountAccess, type AccountAccessProps } from './account-access.ts'
export {
  type AlarmOverride,
  type AlarmOverrides,
  Alarms,
  type AlarmsProps,
  type Severity,
} from './alarms/index.ts'
export { AuditFunction, type AuditFunctionProps } from './audit.ts'
export type { Bundles } from './bundles.ts'
export { CanaryFunction, type CanaryFunctionProps } from './canary.ts'
export {
  ClusterAccess,
  type ClusterAccessProps,
  type ClusterUser,
  kubernetesGroup,
} from './cluster-access.ts'
export { Overview, type OverviewProps } from './dashboard.ts'
export { SliceflowFunction, type SliceflowFunctionProps } from './function.ts'
export type { FunctionOverrides } from './function-props.ts'
export { type ExistingQueue, KeyQueue, type KeyQueueProps, type OwnQueueProps } from './key-queue.ts'
export { LaneQueues, type LaneQueuesProps } from './lane-queues.ts'
export type { FunctionNetwork } from './network.ts'
export { ReconcileFunction, type ReconcileFunctionProps } from './reconcile.ts'
export { Recordings } from './recordings.ts'
export { type RelayProps, RelayService } from './relay.ts'
export type { RelayOverrides } from './relay-overrides.ts'
export { Sliceflow } from './sliceflow.ts'
export type { SliceflowProps } from './sliceflow-props.ts'
export { ViewPublisher, type ViewPublisherProps, type ViewsProps } from './view-publisher.ts'
