export type { Log } from '../queue/index.ts'
export { createLogger, type LoggerOptions } from './logger.ts'
