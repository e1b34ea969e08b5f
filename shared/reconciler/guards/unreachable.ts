import type { EndpointSlice } from '../../endpointslice/index.ts'
import { type ApiClient, CircuitOpenError, ConnectionError } from '../../kubernetes/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { ReadableCluster } from '../readable-cluster.ts'
import type { Changes } from '../write-slices.ts'
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

/** Clusters of which is remembered whose call failed. */
export interface WatchedClusters {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  /** The cluster, other than the Service's own, that could not be reached when this was thrown. */
  unreachableOf(error: unknown): string | undefined
}

/** @param home the Service's own cluster, whose failures are never those of its pods' cluster */
export function watchClusters(home: string, clusterOf: (name: string) => ReadableCluster): WatchedClusters {
  const clusters = new WeakMap<Error, string>()
  function note(cluster: string, error: unknown): never {
    if (error instanceof Error && isUnreachable(error)) clusters.set(error, cluster)
    throw error
  }
  return {
    clusterOf(name) {
      const known = clusterOf(name)
      if (name === home) return known
      const { client, nodes } = known
      const list: ApiClient['list'] = (resource, options) =>
        client.list(resource, options).catch((error: unknown) => note(name, error))
      return {
        client: { ...client, list },
        nodes: {
          all: (signal) => nodes.all(signal).catch((error: unknown) => note(name, error)),
          named: (wanted) => nodes.named(wanted).catch((error: unknown) => note(name, error)),
        },
      }
    },
    unreachableOf: (error) => (error instanceof Error ? clusters.get(error) : undefined),
  }
}

/**
 * Whether a call failed since the server is not there. A call that the circuit breaker did not make counts as
 * the failure that opened it.
 */
export function isUnreachable(error: unknown): boolean {
  const failure = error instanceof CircuitOpenError ? error.cause : error
  return failure instanceof ConnectionError && UNREACHABLE.has(failure.code)
}

export type UnreachablePolicy = Pick<Settings, 'unreachableCluster' | 'unreachableClusterExpiry'>

/** What becomes of endpoints that cannot be verified. */
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
