import { errorMessage } from '../values/index.ts'
import { printable } from './printable.ts'
import { redactSecrets } from './redact.ts'

export interface Warner {
  warn(fields: object, message: string): void
}

/** A log: fields first, then the message. */
export interface Log extends Warner {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Writes nothing. */
export const SILENT_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} }

export interface LoggerOptions {
  /** json: one object a line, for functions and collectors; text: a line to read. Default json. */
  readonly format?: 'json' | 'text'
  /** Writer of lines; default: standard error. */
  readonly write?: (line: string) => void
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
  /** Returns the fields that every line has, such as the invocation's. It is called for each line. */
  readonly fields?: () => object
}

/** Fields that must never be written, wherever a caller puts them: at the top or one level below. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['token', 'authorization'])
const SECRET_AT_TOP = 'credentials'
const SECRET_BELOW = 'headers'
const CENSORED = '[redacted]'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]

/** Writes one line per message. Not pino: a function would load 60 kB at each start for a line of JSON. */
export function createLogger({
  format = 'json',
  write = writeToStderr,
  level: least = 'info',
  fields: common = () => ({}),
}: LoggerOptions = {}): Log {
  function log(level: Level, fields: object, msg: string): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
    // By these names Lambda reads them in its JSON format; without a timestamp every line would be of INFO.
    const timestamp = new Date().toISOString()
    const line = `${jsonOf({ level, timestamp, ...common(), ...writable(fields), msg })}\n`
    write(format === 'json' ? line : readable(line))
  }
  return {
    debug: log.bind(undefined, 'debug'),
    info: log.bind(undefined, 'info'),
    warn: log.bind(undefined, 'warn'),
    error: log.bind(undefined, 'error'),
  }
}

/** Returns the fields without secrets, and errors as their message. */
function writable(fields: object): object {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (SECRET_FIELDS.has(name) || name === SECRET_AT_TOP) return [name, CENSORED]
    return [name, name === 'err' ? errorText(value) : withoutSecrets(value)]
  })
  return Object.fromEntries(entries)
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value).filter((name) => SECRET_FIELDS.has(name) || name === SECRET_BELOW)
  return names.length === 0
    ? value
    : { ...value, ...Object.fromEntries(names.map((name) => [name, CENSORED])) }
}

/** Writes a line as JSON. Fields that cannot be serialized must not lose the line. */
function jsonOf(line: object): string {
  try {
    return JSON.stringify(line)
  } catch (error) {
    return JSON.stringify({
      ...line,
      ...Object.fromEntries(
        Object.entries(line)
          .filter(([, value]) => typeof value === 'object')
          .map(([name]) => [name, `[cannot be written: ${errorText(error)}]`]),
      ),
    })
  }
}

const writeToStderr = (line: string): void => {
  process.stderr.write(line)
}

/**
 * Returns an error's message, which says what was wrong, where, and what to do. Stacks are for debuggers.
 * Parts of a message are texts of others, so secrets are cut out.
 */
const errorText = (error: unknown): string => redactSecrets(errorMessage(error))

/** Formats a line for people, always as one line: `12:34:56 warn message cluster=a service=b`. */
function readable(line: string): string {
  const { level, timestamp, msg, ...fields } = JSON.parse(line)
  const more = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = `${String(timestamp).slice(11, 19)} ${String(level).padEnd(5)} ${msg}${more.length > 0 ? ` ${more.join('')}` : ''}`
  return `${printable(text)}\n`
}

/** Returns a log that adds these fields to each line, such as the key that is worked on. */
export function withFields(logger: Log, fields: object): Log {
  const add =
    (level: keyof Log) =>
    (more: object, message: string): void =>
      logger[level]({ ...fields, ...more }, message)
  return { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') }
}
