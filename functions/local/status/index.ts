export {
  type ClusterSetStatus,
  type ClusterStatus,
  type FailureStatus,
  type GuardStatus,
  type LaneStatus,
  lanesSchema,
  type SecondControllerStatus,
  type ServiceList,
  type StatusDocument,
  statusSchema,
  urlSchema,
} from './document.ts'
export { startShadowTotal } from './shadow-total.ts'
export { createStatusRecord, type StatusRecord } from './status-record.ts'
