export type { ClusterConfig, ClusterTag } from '../../shared/clusters/index.ts'
export type {
  DeploymentSettings,
  DeploymentSettingsInput,
  DeploymentSettingsProps,
  FleetInput,
  VpcEndpoints,
} from '../settings/index.ts'
export { DeploymentError, describeDeploymentSettings, parseDeploymentSettings } from '../settings/index.ts'
export { AccountAccess, type AccountAccessProps } from './access/account-access.ts'
export {
  type ClusterAccess,
  type ClusterAccessProps,
  type ClusterUser,
  kubernetesGroup,
} from './access/cluster-access.ts'
export type { Alarms, AlarmsProps } from './alarms/alarms.ts'
export type { AlarmOverride, AlarmOverrides } from './alarms/overrides.ts'
export type { Severity } from './alarms/spec.ts'
export type { Overview, OverviewProps } from './dashboard.ts'
export type { AuditFunction } from './functions/audit.ts'
export type { Bundles } from './functions/bundles.ts'
export type { CanaryFunction } from './functions/canary.ts'
export type {
  FunctionParts,
  FunctionSurroundings,
  SliceflowFunction,
  SliceflowFunctionProps,
} from './functions/function.ts'
export type { FunctionOverrides } from './functions/function-props.ts'
export type { ReconcileFunction } from './functions/reconcile.ts'
export type { FunctionNetwork } from './network/network.ts'
export type {
  ExistingQueue,
  KeyQueue,
  KeyQueueProps,
  LaneQueues,
  LaneQueuesProps,
  OwnQueueProps,
} from './queues/key-queue.ts'
export type { Recordings } from './recordings.ts'
export type { RelayNetwork, RelayProps, RelayQueues, RelayService, RelayTask } from './relay/relay.ts'
export type { RelayOverrides } from './relay/relay-overrides.ts'
export { Sliceflow } from './sliceflow.ts'
export type { SliceflowProps, ViewsProps } from './sliceflow-props.ts'
export type { ViewPublisher, ViewPublisherProps } from './views/view-publisher.ts'
