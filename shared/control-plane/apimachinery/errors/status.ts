import type { JsonObject } from '../json/exact-numbers.ts'

export interface StatusCause extends JsonObject {
  reason?: string
  message?: string
  field?: string
}

export interface StatusDetails extends JsonObject {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

/** `meta/v1` Status: what an API server answers where it does not answer an object. */
export interface Status extends JsonObject {
  kind: 'Status'
  apiVersion: 'v1'
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

/**
 * Any failure that the API answers with a Status. The wire form is `status`; its `code` is the HTTP status.
 * @example
 * ```ts
 * const error = new ApiError(409, 'AlreadyExists', 'notes.example.org "first" already exists')
 * error.status.reason // => 'AlreadyExists'
 * ```
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: number
  readonly reason: string | undefined
  readonly details: StatusDetails | undefined

  constructor(code: number, reason: string | undefined, message: string, details?: StatusDetails) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
  }

  get status(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    }
  }
}

/** Makes the Status that a delete answers when nothing of the object is left. */
export function deletedStatus(details: StatusDetails): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

export function createdStatus(): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
}
