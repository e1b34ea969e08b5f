export { describeEntry } from './describe-entry.ts'
export { summarizeEvents } from './describe-events.ts'
export { eventsOfWrite } from './endpoint-events.ts'
export type {
  Changed,
  EndpointEvent,
  FoundEntry,
  GoneEntry,
  HistoryEntry,
  Left,
  LostEntry,
  Moved,
  Present,
  SentEntry,
  WriteEntry,
} from './entry.ts'
export { HistoryError } from './errors.ts'
export { inOrder } from './in-order.ts'
export { ofService } from './of-service.ts'
export { describePublished, type PublishedReport, type PublishedSlice, publishedAt } from './published.ts'
export { openRecording, type RecordingQuery } from './sources/index.ts'
export { type TimelineFilter, timelineOf } from './timeline.ts'
