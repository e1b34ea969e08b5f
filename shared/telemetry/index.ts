export type { Log } from '../queue/index.ts'
export { createLogger, type LoggerOptions } from './logger.ts'
export { createSliceMetrics, type SliceMetrics, type SyncSample } from './slice-metrics.ts'
