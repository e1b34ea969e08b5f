import type { Change, ClusterIndex, KindIndex } from '../../shared/changes/index.ts'
import { LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import {
  type ApiObject,
  ENDPOINT_SLICES,
  NODES,
  PODS,
  type Resource,
  runWatcher,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { WatchReading } from '../../shared/telemetry/index.ts'
import type { ClusterOutage } from './cluster-outage.ts'
import type { ClusterRelayOptions } from './cluster-relay.ts'
import { createFailureLog } from './failure-log.ts'
import type { WatchHealth } from './health.ts'
import { createWatchHandler } from './watch-handler.ts'
import { createWatchStatus, type WatchStatus } from './watch-status.ts'

/** Kinds that a relay watches, by its scope. */
export const KINDS = {
  everything: ['services', 'pods', 'nodes', 'slices'],
  pods: ['pods', 'nodes'],
} as const
export type Kind = (typeof KINDS)['everything'][number]

/**
 * Nothing, not even a bookmark, for so long means that a watch is dead; API servers send a bookmark a minute.
 */
export const INACTIVITY_MS = 80_000

export interface ReflectorsOptions
  extends Pick<ClusterRelayOptions, 'client' | 'settings' | 'metrics' | 'logger'> {
  readonly scope: keyof typeof KINDS
  /** Each kind is brought to its part of the index. */
  readonly index: ClusterIndex
  readonly outage: ClusterOutage
  /** @param about the kind whose objects changed */
  readonly emit: (changes: readonly Change[], about: string) => void
  /** Called after each whole list of a kind. */
  readonly listed: (kind: Kind) => void
  /** Ends the watches. */
  readonly signal: AbortSignal
}

/** Lists and watches the kinds of one cluster, and brings each object to the index. */
export interface Reflectors {
  readings(): WatchReading[]
  health(): WatchHealth[]
  /** Resolves once every watch has ended. */
  ended(): Promise<unknown>
}

export function startReflectors({
  client,
  scope,
  index,
  settings,
  ...options
}: ReflectorsOptions): Reflectors {
  const { metrics, logger, outage, emit, listed, signal } = options
  const { cluster } = client
  const failures = createFailureLog(logger, cluster)
  const statuses = new Map<Kind, WatchStatus>()

  function reflect<T extends ApiObject>(
    kind: Kind,
    resource: Resource<T>,
    objects: KindIndex<T>,
    labelSelector?: string,
  ): Promise<void> {
    const status = createWatchStatus({ cluster, kind, metrics })
    statuses.set(kind, status)
    const told = {
      emit: (changes: readonly Change[]) => emit(changes, ABOUT[kind]),
      listed: () => listed(kind),
    }
    const common = { cluster, metrics, logger, failures, outage, ...told }
    const handler = createWatchHandler(kind, objects, status, common)
    return runWatcher(client, { resource, handler, labelSelector, signal, inactivityMs: INACTIVITY_MS })
  }

  // A shadow compares whatever slices a Service has, by any manager.
  const ofManager = settings.shadow ? undefined : `${LABEL_MANAGED_BY}=${settings.managedBy}`
  const start: { readonly [Each in Kind]: () => Promise<void> } = {
    services: () => reflect('services', SERVICES, index.services),
    pods: () => reflect('pods', PODS, index.pods),
    nodes: () => reflect('nodes', NODES, index.nodes),
    slices: () => reflect('slices', ENDPOINT_SLICES, index.slices, ofManager),
  }
  const watches = KINDS[scope].map((kind) => start[kind]())

  return {
    readings() {
      const size = index.size()
      return [...statuses].map(([kind, status]) => ({ ...status.reading(), objects: size[kind] }))
    },
    health: () => [...statuses].map(([kind, status]) => ({ kind, idleMs: status.idleMs() })),
    ended: () => Promise.all(watches),
  }
}

const ABOUT = { services: 'service', pods: 'pod', nodes: 'node', slices: 'slice' } as const
