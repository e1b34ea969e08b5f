import type { Logger } from 'pino'

/** The part of pino's interface that the queue library and its users log through. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** What warns. */
export interface Warner {
  warn(fields: object, message: string): void
}
