import type { Log } from '../queue/index.ts'

/** A log each of whose lines has these fields besides its own, such as what a piece of work is about. */
export function withFields(logger: Log, fields: object): Log {
  const add =
    (level: keyof Log) =>
    (more: object, message: string): void =>
      logger[level]({ ...fields, ...more }, message)
  return { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') }
}
