export { type BatchReport, type EventSourceMapping, startEventSourceMapping } from './event-source-mapping.ts'
