import type { Log } from './log.ts'

/** Returns a log that adds these fields to each line, such as the key that is worked on. */
export function withFields(logger: Log, fields: object): Log {
  const add =
    (level: keyof Log) =>
    (more: object, message: string): void =>
      logger[level]({ ...fields, ...more }, message)
  return { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') }
}
