import type { Log } from '../queue/index.ts'

/** A log each of whose lines has these fields besides its own, such as what a piece of work is about. */
export function withFields(logger: Log, fields: object): Log {
  const add =
    (level: keyof Log) =>
    (more: unknown, message?: string): void => {
      if (typeof more === 'string') logger[level](fields, more)
      else logger[level]({ ...fields, ...(more instanceof Error ? { err: more } : (more ?? {})) }, message)
    }
  return { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') }
}
