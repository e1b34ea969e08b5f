import type { EndpointSlice } from '../../endpointslice/index.ts'
import { ApiError, CircuitOpenError, ConnectionError } from '../../kubernetes/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { ServiceEvent } from '../service-events.ts'
import type { Guard } from './guard.ts'
import {
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  earliestTime,
  isAlive,
  timeText,
  withAnnotation,
} from './published/slice-annotations.ts'
import type { AddressFilter } from './refused/refused-addresses.ts'

/** Acts on Pods that cannot be read, before there is a plan. */
export const UNREACHABLE_GUARD: Guard<'ClusterUnreachable'> = {
  name: 'unreachable',
  events: {
    ClusterUnreachable: 'the Pods in a cluster cannot be read; says what happens to their endpoints',
  },
}

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

/** Reports whether a call failed as the server is not there, or was not made for that (circuit breaker). */
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

/** Decision about slices whose endpoints cannot be verified. */
type Unverified =
  | {
      readonly kind: 'stay'
      /** Slices that get a note of since when, and nothing else: they keep their seal. */
      readonly noted: readonly EndpointSlice[]
      /** Slices that lose addresses which are refused by now; with the note where they are to have one. */
      readonly filtered: readonly EndpointSlice[]
    }
  /** They are taken away. */
  | { readonly kind: 'dropped' }

interface UnverifiedInput {
  readonly slices: readonly EndpointSlice[]
  readonly policy: UnreachablePolicy
  readonly addresses: Pick<AddressFilter, 'filterSlice'>
  /** Time in milliseconds since the epoch. */
  readonly now: number
}

export function unverified({ slices, policy, addresses, now }: UnverifiedInput): Unverified {
  const { unreachableCluster, unreachableClusterExpiry } = policy
  if (unreachableCluster === 'drop') return { kind: 'dropped' }
  const since = earliestTime(slices, ANNOTATION_UNVERIFIED_SINCE, now) ?? now
  const expires = unreachableCluster === 'expire'
  if (expires && now - since >= unreachableClusterExpiry * 1000) return { kind: 'dropped' }
  const noted: EndpointSlice[] = []
  const filtered: EndpointSlice[] = []
  for (const slice of slices.filter(isAlive)) {
    const allowed = addresses.filterSlice(slice)
    const needsNote =
      expires &&
      (slice.endpoints?.length ?? 0) > 0 &&
      annotationOf(slice, ANNOTATION_UNVERIFIED_SINCE) === undefined
    const wanted = needsNote ? withAnnotation(allowed, ANNOTATION_UNVERIFIED_SINCE, timeText(since)) : allowed
    if (allowed !== slice) filtered.push(wanted)
    else if (needsNote) noted.push(wanted)
  }
  return { kind: 'stay', noted, filtered }
}

interface UnreachableCluster extends UnreachablePolicy {
  readonly cluster: string
  readonly isDropped: boolean
}

export function unreachableEvent(options: UnreachableCluster): ServiceEvent<'ClusterUnreachable'> {
  const { cluster, isDropped, unreachableCluster, unreachableClusterExpiry } = options
  const expires = `they are removed after ${unreachableClusterExpiry} s without a read of its pods`
  const stay =
    unreachableCluster === 'expire'
      ? `its endpoints stay for now, ${expires}`
      : 'its endpoints stay as they are'
  const outcome = isDropped ? 'its endpoints are removed until it can' : stay
  const message = `the pods in cluster ${cluster} cannot be read: ${outcome}`
  return { type: 'Warning', reason: 'ClusterUnreachable', message }
}
