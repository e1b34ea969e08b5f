export { type ChurnOptions, churnWorkload } from './churn.ts'
export {
  type ClusterSize,
  createSimulatedCluster,
  type SimulatedCluster,
  suffix,
  withState,
} from './cluster.ts'
export { ContradictionError } from './contradictions.ts'
export { type LossOptions, lossWorkload } from './loss.ts'
export { type PodState, podInState, stateOf } from './pod-state.ts'
export { CLUSTER, replay } from './relay-events.ts'
export { type RollingOptions, rollingWorkload } from './rolling.ts'
export { type ScaleOptions, scaleWorkload } from './scale.ts'
export type {
  Events,
  Found,
  FoundEvent,
  PodEvent,
  RelayEvent,
  ServiceEvent,
  SyncEvent,
  Workload,
  WorkloadEvent,
} from './workload.ts'
export { SYNC_STEPS } from './workload.ts'
