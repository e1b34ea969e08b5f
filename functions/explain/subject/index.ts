export { describeSubject } from './describe-subject.ts'
export { explainSubject, isUnfound } from './explain-subject.ts'
export { withRecording } from './publications.ts'
export type {
  FleetPlace,
  ObjectReport,
  PublicationReport,
  RecordedEvent,
  Subject,
  SubjectReport,
} from './report.ts'
