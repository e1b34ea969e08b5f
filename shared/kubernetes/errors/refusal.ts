import type { IncomingMessage } from 'node:http'
import { isRecord, parseJson, recordOf } from '../../values/index.ts'
import { type ApiError, apiError, type Status } from './errors.ts'

/** An answer with an HTTP status of 400 or more. */
interface RefusedAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The body, a Status object as a rule. */
  readonly text: string
}

/** Most characters that are quoted of an answer that a proxy puts in place of a Status. */
const QUOTED_CHARACTERS = 200

/** Maximum characters of a Status' message, as a tenant's webhook may answer with any length. */
const MAX_REASON_LENGTH = 2_000
/** Maximum number of causes of a Status that are read. */
const MAX_CAUSES = 100

/** @param action verb and object, such as `list Pods of cluster a` */
export function refusalOf(action: string, { status: code, headers, text }: RefusedAnswer): ApiError {
  return apiError(action, code, statusOf(code, text), retryAfterSeconds(headers['retry-after']))
}

function statusOf(code: number, text: string): Status {
  const status = parseJson(text)
  if (isRecord(status)) return readStatus(status)
  // Not from an API server, or from a part of one that answers in plain text.
  return { message: `HTTP status ${code}: ${text.slice(0, QUOTED_CHARACTERS)}` }
}

/** Reads what has the form of a Status; each text is truncated before it is used. */
export function readStatus(value: unknown): Status {
  const { message, reason, code, details } = recordOf(value)
  const { name, kind, retryAfterSeconds: seconds, causes } = recordOf(details)
  return {
    ...withText('message', message),
    ...withText('reason', reason),
    ...(typeof code === 'number' && { code }),
    ...(isRecord(details) && {
      details: {
        ...withText('name', name),
        ...withText('kind', kind),
        ...(typeof seconds === 'number' && { retryAfterSeconds: seconds }),
        ...(Array.isArray(causes) && { causes: causes.slice(0, MAX_CAUSES).map(causeOf) }),
      },
    }),
  }
}

function causeOf(value: unknown): object {
  const { reason, message, field } = recordOf(value)
  return { ...withText('reason', reason), ...withText('message', message), ...withText('field', field) }
}

function withText<Name extends string>(name: Name, value: unknown): { readonly [Each in Name]?: string } {
  if (typeof value !== 'string') return {}
  const text = value.length > MAX_REASON_LENGTH ? `${value.slice(0, MAX_REASON_LENGTH)}…` : value
  return { [name]: text } as { readonly [Each in Name]?: string }
}

/** Parses Retry-After: seconds, or a date (RFC 9110, section 10.2.3); undefined if it is neither. */
export function retryAfterSeconds(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const time = Date.parse(header)
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1000)
}
