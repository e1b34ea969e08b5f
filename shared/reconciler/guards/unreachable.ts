import type { EndpointSlice } from '../../endpointslice/index.ts'
import { CircuitOpenError, ConnectionError } from '../../kubernetes/index.ts'
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
  const failure = error instanceof CircuitOpenError ? error.cause : error
  return failure instanceof ConnectionError && UNREACHABLE.has(failure.code)
}

export type UnreachablePolicy = Pick<Settings, 'unreachableCluster' | 'unreachableClusterExpiry'>

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
