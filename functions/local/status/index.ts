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
export { createStatusRecord, type StatusRecord, startShadowTotal } from './status-record.ts'
