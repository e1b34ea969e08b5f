export type { BatchReport } from './event-source-batch.ts'
export { type EventSourceMapping, startEventSourceMapping } from './event-source-mapping.ts'
