import type { EndpointSlice } from '../../endpointslice/index.ts'
import { ApiError, CircuitOpenError, ConnectionError } from '../../kubernetes/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Changes } from '../slice-changes.ts'
import {
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  earliestTime,
  isAlive,
  timeText,
  withAnnotation,
} from './slice-annotations.ts'

/**
 * Node's codes for a server that is not there. A certificate that is not accepted or an answer that cannot be
 * read is a fault of a configuration: it takes no endpoint away.
 */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * Reports whether a call failed because the server is not there. A call that the circuit breaker did not make
 * counts as the failure that opened it.
 */
export function isUnreachable(error: unknown): boolean {
  const failure = failureOf(error)
  return failure instanceof ConnectionError && UNREACHABLE.has(failure.code)
}

const failureOf = (error: unknown): unknown => (error instanceof CircuitOpenError ? error.cause : error)

export type UnreachablePolicy = Pick<Settings, 'unreachableCluster' | 'unreachableClusterExpiry'>

/**
 * A server that refuses, with 401, 403 or 5xx, takes no endpoint away for this time, in seconds: it may be
 * starting, or its credentials may be changed just now. Afterwards the refusal lasts, as an outage does.
 */
const REFUSAL_SECONDS = 60

/**
 * Returns the policy for endpoints in a cluster that could not be read. Whatever is neither an outage nor a
 * refusal, such as a certificate that is not accepted, takes no endpoint away.
 */
export function policyFor(error: unknown, settings: UnreachablePolicy): UnreachablePolicy {
  if (isUnreachable(error)) return settings
  const failure = failureOf(error)
  const isRefusal =
    failure instanceof ApiError && (failure.code === 401 || failure.code === 403 || failure.code >= 500)
  if (!isRefusal) return { ...settings, unreachableCluster: 'keep' }
  if (settings.unreachableCluster !== 'drop') return settings
  return { unreachableCluster: 'expire', unreachableClusterExpiry: REFUSAL_SECONDS }
}

/** Decision about endpoints that cannot be verified. */
export type Unverified =
  | { readonly kind: 'kept' }
  /** The slices get a note of since when. */
  | { readonly kind: 'noted'; readonly changes: Changes }
  /** They are taken away. */
  | { readonly kind: 'dropped' }

export function unverified(
  slices: readonly EndpointSlice[],
  { unreachableCluster, unreachableClusterExpiry }: UnreachablePolicy,
  now: number,
): Unverified {
  if (unreachableCluster === 'keep') return { kind: 'kept' }
  if (unreachableCluster === 'drop') return { kind: 'dropped' }
  const since = earliestTime(slices, ANNOTATION_UNVERIFIED_SINCE, now) ?? now
  if (now - since >= unreachableClusterExpiry * 1000) return { kind: 'dropped' }
  const update = slices
    .filter((slice) => isAlive(slice) && (slice.endpoints?.length ?? 0) > 0)
    .filter((slice) => annotationOf(slice, ANNOTATION_UNVERIFIED_SINCE) === undefined)
    .map((slice) => withAnnotation(slice, ANNOTATION_UNVERIFIED_SINCE, timeText(since)))
  return { kind: 'noted', changes: { create: [], update, delete: [] } }
}
