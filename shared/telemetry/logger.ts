import { pino } from 'pino'
import type { Log } from '../queue/index.ts'

export interface LoggerOptions {
  /** json: one object a line, for functions and collectors; text: a line to read. Default json. */
  readonly format?: 'json' | 'text'
  /** Where lines go; default: standard error. */
  readonly write?: (line: string) => void
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
}

/** Fields that must never be written, wherever a caller puts them. */
const SECRET_FIELDS = ['token', 'authorization', '*.token', '*.authorization', '*.headers', 'credentials']

/** A logger with pino's interface: fields first, then the message. */
export function createLogger({
  format = 'json',
  write = writeToStderr,
  level = 'info',
}: LoggerOptions = {}): Log {
  const stream = { write: format === 'json' ? write : (line: string) => write(readable(line)) }
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorText },
      redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
    },
    stream,
  )
}

const writeToStderr = (line: string): void => {
  process.stderr.write(line)
}

/** Messages say what was wrong, where, and what to do; stacks are for debuggers. */
const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** `12:34:56 warn  message  cluster=a service=b` */
function readable(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line)
  const more = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${msg ?? ''}${more.length > 0 ? ` ${more.join('')}` : ''}\n`
}
