export { describeService } from './describe-service.ts'
export { explainService } from './explain-service.ts'
export { describeFleetService } from './fleet/describe-fleet.ts'
export { explainFleetService } from './fleet/explain-fleet.ts'
export { listFleetKeys } from './fleet/list-fleet-keys.ts'
export { describeFleetPlan, type FleetPlan, planFleet, writesOf } from './fleet/plan-fleet.ts'
export type { FleetReport } from './fleet/report.ts'
export type { ServiceReport } from './report.ts'
export { describeSubject } from './subject/describe-subject.ts'
export { explainSubject, isUnfound } from './subject/explain-subject.ts'
export { withRecording } from './subject/publications.ts'
export type {
  FleetPlace,
  ObjectReport,
  PublicationReport,
  RecordedEvent,
  Subject,
  SubjectReport,
} from './subject/report.ts'
