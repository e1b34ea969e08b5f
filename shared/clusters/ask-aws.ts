import type * as v from 'valibot'
import { within } from '../kubernetes/index.ts'
import { safeParse } from '../schema/index.ts'
import { ClusterAccessError } from './errors.ts'

/**
 * Maximum milliseconds of a request with all its attempts: the SDK itself has no time limit.
 */
const REQUEST_TIMEOUT_MS = 20_000

/** Asks AWS within a time limit, which the search for credentials before the request shares. */
export async function ask<T>(
  action: string,
  request: (abortSignal: AbortSignal) => Promise<T>,
  advice: string,
): Promise<T> {
  const ending = new AbortController()
  const late = (): Error => new Error(`no answer within ${REQUEST_TIMEOUT_MS / 1000} s`)
  try {
    return await within(request(ending.signal), { ms: REQUEST_TIMEOUT_MS, late })
  } catch (cause) {
    if (cause instanceof ClusterAccessError) throw cause
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new ClusterAccessError(`failed to ${action}: ${reason}; ${advice}`, { cause })
  } finally {
    ending.abort()
  }
}

/** Checks an answer. The error leaves out the answer itself, which may hold a secret. */
export function check<T>(action: string, schema: v.GenericSchema<unknown, T>, answer: unknown): T {
  const result = safeParse(schema, answer)
  if (result.success) return result.data
  const status = (answer as { status?: unknown } | null | undefined)?.status
  const problems = result.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(' '),
  )
  const note = typeof status === 'string' && status !== 'ACTIVE' ? ` (its status is ${status})` : ''
  throw new ClusterAccessError(
    `failed to ${action}: the answer cannot be used: ${problems.join('; ')}${note}`,
  )
}
