import { type Change, createClusterIndex, type Fleet, type KindIndex } from '../../shared/changes/index.ts'
import { LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  NODES,
  PODS,
  type Resource,
  runWatcher,
  SERVICES,
  type WatchHandler,
} from '../../shared/kubernetes/index.ts'
import type { Lane } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { createFailureLog } from './failure-log.ts'
import type { Outbox } from './outbox.ts'

export interface ClusterRelayOptions {
  readonly client: ApiClient
  /** Of all clusters that the relay watches. */
  readonly fleet: Fleet
  readonly settings: Pick<Settings, 'mode' | 'managedBy'> & Partial<Pick<Settings, 'shadow'>>
  readonly outboxes: Readonly<Record<Lane, Outbox>>
  readonly logger: Log
  readonly signal: AbortSignal
  /** Told of every object that a watch brought after the first lists, by the changes that it means; often none. */
  readonly onEvent?: (changes: readonly Change[]) => void
}

export interface ClusterRelay {
  /** Resolves when every kind was listed once and every key is on its way; never while the cluster is unreachable. */
  readonly synced: Promise<void>
  /** Resolves when all watches have ended, after the signal aborted. */
  readonly ended: Promise<void>
}

const KINDS = { services: SERVICES, pods: PODS, nodes: NODES, slices: ENDPOINT_SLICES } as const
type Kind = keyof typeof KINDS

/**
 * Watches one cluster and puts the keys of changed Services into the outboxes: after the first lists every key into
 * the sweep lane, then each change into the live lane.
 */
export function startClusterRelay({
  client,
  fleet,
  settings,
  outboxes,
  logger,
  signal,
  onEvent,
}: ClusterRelayOptions): ClusterRelay {
  const { cluster } = client
  const index = createClusterIndex(cluster, settings.mode, fleet)
  const failures = createFailureLog(logger, cluster)
  const synced = Promise.withResolvers<void>()
  const unlisted = new Set<Kind>(Object.keys(KINDS) as Kind[])

  function emit(changes: readonly Change[]): void {
    // Until every kind is known a change may be missed or misjudged; the keys sent after that make up for it.
    if (unlisted.size > 0) return
    onEvent?.(changes)
    outboxes.live.add(changes)
  }

  function listed(kind: Kind): void {
    if (!unlisted.delete(kind) || unlisted.size > 0) return
    const keys = index.keys()
    logger.info({ cluster, ...index.size(), keys: keys.length }, 'following the cluster')
    outboxes.sweep.add(keys)
    synced.resolve()
  }

  function handlerOf<T extends ApiObject>(kind: Kind, objects: KindIndex<T>): WatchHandler<T> {
    const guarded = (object: T, changes: (object: T) => Change[]): void => {
      try {
        emit(changes(object))
      } catch (error) {
        const { namespace, name } = object.metadata ?? {}
        logger.error(
          { cluster, kind, namespace, name, err: error },
          'an object of the cluster is malformed; it is passed over',
        )
      }
    }
    return {
      listing: () => objects.listing(),
      object: (object) => guarded(object, objects.put),
      listed: () => {
        emit(objects.listed())
        listed(kind)
      },
      changed: (object) => guarded(object, objects.put),
      deleted: (object) => guarded(object, objects.remove),
      failed: (error, retryMs) => failures.failed(kind, error, retryMs),
      recovered: () => failures.recovered(kind),
    }
  }

  const watch = <T extends ApiObject>(
    kind: Kind,
    resource: Resource<T>,
    objects: KindIndex<T>,
    labelSelector?: string,
  ): Promise<void> =>
    runWatcher(client, { resource, handler: handlerOf(kind, objects), labelSelector, signal })

  // A shadow compares whatever slices a Service has, by any manager.
  const ofManager = settings.shadow ? undefined : `${LABEL_MANAGED_BY}=${settings.managedBy}`
  const watches = [
    watch('services', SERVICES, index.services),
    watch('pods', PODS, index.pods),
    watch('nodes', NODES, index.nodes),
    watch('slices', ENDPOINT_SLICES, index.slices, ofManager),
  ]
  return { synced: synced.promise, ended: Promise.all(watches).then(() => undefined) }
}
