export type { FailureStatus } from './failure-record.ts'
export type { GuardStatus, ServiceList } from './guard-record.ts'
export type { SecondControllerStatus } from './second-controller-record.ts'
export { startShadowTotal } from './shadow-total.ts'
export {
  type ClusterSetStatus,
  type ClusterStatus,
  createStatusRecord,
  type LagStatus,
  type LaneStatus,
  type StatusDocument,
  type StatusRecord,
} from './status-record.ts'
