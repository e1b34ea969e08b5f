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
export { type ClusterAccess, type ClusterUser, kubernetesGroup } from './access/cluster-access.ts'
export type { Alarms } from './alarms/alarms.ts'
export type { AlarmOverride, AlarmOverrides } from './alarms/overrides.ts'
export type { Severity } from './alarms/spec.ts'
export type { Overview } from './dashboard.ts'
export type { AuditFunction } from './functions/audit.ts'
export type { Bundles } from './functions/bundles.ts'
export type { CanaryFunction } from './functions/canary.ts'
export type { SliceflowFunction } from './functions/function.ts'
export type { FunctionOverrides } from './functions/function-props.ts'
export type { ReconcileFunction } from './functions/reconcile.ts'
export type { ExistingQueue, KeyQueue, LaneQueues, OwnQueueProps } from './queues/key-queue.ts'
export type { Recordings } from './recordings.ts'
export type { RelayService } from './relay/relay.ts'
export type { RelayOverrides } from './relay/relay-overrides.ts'
export { Sliceflow } from './sliceflow.ts'
export type { SliceflowProps, ViewsProps } from './sliceflow-props.ts'
export type { ViewPublisher } from './views/view-publisher.ts'
