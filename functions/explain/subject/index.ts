export { describeSubject } from './describe-subject.ts'
export { type ExplainSubjectOptions, explainSubject, isUnfound } from './explain-subject.ts'
export type {
  FleetPlace,
  ObjectReport,
  PublicationReport,
  RecordedEvent,
  Subject,
  SubjectReport,
} from './report.ts'
export { withRecording } from './with-recording.ts'
