export { type BatchReport, EventSourceMapping, startEventSourceMapping } from './mapping.ts'
