import type { IncomingMessage } from 'node:http'
import { type ApiError, apiError, type Status } from './errors.ts'

/** An answer with an HTTP status of 400 or more. */
export interface RefusedAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The body, a Status object as a rule. */
  readonly text: string
}

/** What a proxy puts in place of a Status is quoted so far. */
const QUOTED_CHARACTERS = 200

/** @param action verb and object, such as `list Pods of cluster a` */
export function refusalOf(action: string, { status: code, headers, text }: RefusedAnswer): ApiError {
  return apiError(action, code, statusOf(code, text), retryAfterSeconds(headers['retry-after']))
}

function statusOf(code: number, text: string): Status {
  try {
    const status: unknown = JSON.parse(text)
    if (typeof status === 'object' && status !== null) return status
  } catch {
    // Not from an API server, or from a part of one that answers in plain text.
  }
  return { message: `HTTP status ${code}: ${text.slice(0, QUOTED_CHARACTERS)}` }
}

/** Seconds, or a date (RFC 9110, section 10.2.3); undefined when it is neither. */
export function retryAfterSeconds(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const time = Date.parse(header)
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1000)
}
