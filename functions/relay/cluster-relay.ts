import { setMaxListeners } from 'node:events'
import {
  type Change,
  createClusterIndex,
  type Fleet,
  type KindIndex,
  keyText,
  parseKeyText,
} from '../../shared/changes/index.ts'
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
} from '../../shared/kubernetes/index.ts'
import { LANES, type Lane, type QueueSender } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { ClusterReading, Log, RelayMetrics } from '../../shared/telemetry/index.ts'
import type { AcceptedKeys, CheckpointFile } from './checkpoint.ts'
import { changedSince, createCheckpointer } from './checkpointer.ts'
import { createFailureLog } from './failure-log.ts'
import type { ClusterHealth } from './health.ts'
import { createMalformedLog } from './malformed-log.ts'
import { createOutage } from './outage.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createWatchHandler } from './watch-handler.ts'
import { createWatchStatus, type WatchStatus } from './watch-status.ts'

export interface ClusterRelayOptions {
  readonly client: ApiClient
  /** Of all clusters that the relay watches. */
  readonly fleet: Fleet
  readonly settings: Pick<Settings, 'mode' | 'managedBy' | 'coalescingWindow'> &
    Partial<Pick<Settings, 'shadow' | 'sweepCoalescingWindow'>>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly metrics: RelayMetrics
  readonly logger: Log
  /** Default: none, and every key is sent at the start. */
  readonly checkpointFile?: CheckpointFile
  /** `pods`: only what Services of other clusters take from this one, which another relay follows. Default `everything`. */
  readonly scope?: 'everything' | 'pods'
  /** Told of every object that a watch brought after the first lists, by the changes that it means; often none. */
  readonly onEvent?: (changes: readonly Change[]) => void
  readonly onSent?: (keys: number) => void
}

export interface ClusterRelay {
  readonly cluster: string
  /** Resolves when every kind was listed once and the keys are on their way; never while the cluster is unreachable. */
  readonly synced: Promise<void>
  reading(): ClusterReading
  health(): ClusterHealth
  /** Ends the watches, sends what waits and writes the checkpoint. Resolves to the number of keys not sent when `signal` aborted. */
  stop(signal: AbortSignal): Promise<number>
}

const KINDS = {
  everything: ['services', 'pods', 'nodes', 'slices'],
  pods: ['pods', 'nodes'],
} as const
type Kind = (typeof KINDS)['everything'][number]

/** Nothing, not even a bookmark, for so long means that a watch is dead; API servers send a bookmark a minute. */
const INACTIVITY_MS = 80_000

/**
 * Watches one cluster and puts the keys of changed Services into its outboxes: after the first lists those that changed
 * since the checkpoint, or all without one, into the sweep lane; then each change into the live lane. After a long outage
 * every key goes into the sweep lane once more.
 */
export function startClusterRelay(options: ClusterRelayOptions): ClusterRelay {
  const { client, fleet, settings, metrics, logger, checkpointFile, scope = 'everything', onEvent } = options
  const { cluster } = client
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  const tellMalformed = createMalformedLog(logger, cluster)
  const index = createClusterIndex(cluster, settings.mode, fleet, (object) => {
    metrics.count('malformed_objects', { cluster, kind: KIND_NAMES[object.kind] })
    tellMalformed(object)
  })
  const outboxes = {
    live: outbox('live', settings.coalescingWindow * 1000),
    sweep: outbox('sweep', (settings.sweepCoalescingWindow ?? 0) * 1000),
  }
  const checkpointer =
    checkpointFile &&
    createCheckpointer({
      cluster,
      file: checkpointFile,
      accepted,
      logger,
      onFailed: () => metrics.count('checkpoint_failures', { cluster }),
    })
  const outage = createOutage({
    silenceMs: INACTIVITY_MS,
    onLong: outageLasts,
    onOver: outageOver,
  })
  const synced = Promise.withResolvers<void>()
  const missing = new Set<string>([...KINDS[scope], 'checkpoint'])
  let before: Awaited<ReturnType<CheckpointFile['read']>> = {
    problem: scope === 'pods' ? 'it is followed for other clusters only' : 'the relay has no state directory',
  }

  let hadOutage = false

  function outbox(lane: Lane, windowMs: number): Outbox {
    return createOutbox({
      sender: options.senders[lane],
      logger,
      windowMs,
      onSent: (keys) => {
        metrics.count('keys_sent', { cluster, lane }, keys)
        checkpointer?.touch()
        options.onSent?.(keys)
      },
      onRejected: () => metrics.count('keys_rejected', { cluster, lane }),
    })
  }

  /** Keys that wait are left out: a start from here would have to send them. */
  function accepted(): AcceptedKeys {
    const digests = index.digests()
    for (const lane of LANES) for (const key of outboxes[lane].keys()) digests.delete(key)
    return digests
  }

  function emit(changes: readonly Change[]): void {
    checkpointer?.touch()
    // Until every kind is known a change may be missed or misjudged; the keys sent after that make up for it.
    if (missing.size > 0) return
    onEvent?.(changes)
    outboxes.live.add(changes)
  }

  function sweep(keys: readonly Change[], reason: 'start' | 'changed' | 'outage'): void {
    metrics.count('keys_swept', { cluster, reason }, keys.length)
    outboxes.sweep.add(keys)
  }

  function found(what: Kind | 'checkpoint'): void {
    if (!missing.delete(what) || missing.size > 0 || ending.signal.aborted) return
    const keys = index.keys()
    const known = hadOutage ? { problem: 'the cluster could not be reached for a while' } : before
    if ('problem' in known) {
      sweep(keys, 'start')
      const cost = { keys: keys.length, reason: known.problem, requests: Math.ceil(keys.length / 10) }
      logger.info(
        { cluster, ...index.size(), ...cost },
        'following the cluster; without a checkpoint every key is sent',
      )
    } else {
      const changed = changedKeys(known.keys, keys)
      sweep(changed, 'changed')
      const unchanged = Math.max(0, keys.length - changed.length)
      metrics.count('keys_suppressed', { cluster }, unchanged)
      const cost = { keys: changed.length, unchanged }
      logger.info(
        { cluster, ...index.size(), ...cost },
        'following the cluster; what changed since the checkpoint is sent',
      )
    }
    checkpointer?.start()
    synced.resolve()
  }

  function changedKeys(known: AcceptedKeys, keys: readonly Change[]): Change[] {
    const byText = new Map(keys.map((key) => [keyText(key), key]))
    const changed = changedSince(known, { keys: byText.keys(), digests: index.digests() })
    return [...changed].map((text) => byText.get(text) ?? parseKeyText(text))
  }

  /** Looks at Services of other clusters will fail as well, and only they do what the setting unreachableCluster says. */
  function outageLasts(): void {
    void checkpointer?.suspend()
    const foreign = index.keys().filter((key) => key.cluster !== cluster)
    if (foreign.length === 0) return
    sweep(foreign, 'outage')
    const told = { cluster, keys: foreign.length }
    logger.warn(told, 'the cluster is out of reach: the keys of Services that take its pods are sent')
  }

  function outageOver(): void {
    checkpointer?.resume()
    if (missing.size > 0) {
      hadOutage = true
      return
    }
    const keys = index.keys()
    sweep(keys, 'outage')
    logger.info({ cluster, keys: keys.length }, 'the cluster is back after an outage; every key is sent')
  }

  const failures = createFailureLog(logger, cluster)
  const statuses = new Map<Kind, WatchStatus>()
  function watch<T extends ApiObject>(
    kind: Kind,
    resource: Resource<T>,
    objects: KindIndex<T>,
    labelSelector?: string,
  ): Promise<void> {
    const status = createWatchStatus({ cluster, kind, metrics })
    statuses.set(kind, status)
    const common = { cluster, metrics, logger, failures, outage, emit, listed: () => found(kind) }
    const handler = createWatchHandler(kind, objects, status, common)
    return runWatcher(client, {
      resource,
      handler,
      labelSelector,
      signal: ending.signal,
      inactivityMs: INACTIVITY_MS,
    })
  }
  // A shadow compares whatever slices a Service has, by any manager.
  const ofManager = settings.shadow ? undefined : `${LABEL_MANAGED_BY}=${settings.managedBy}`
  const start: { readonly [Each in Kind]: () => Promise<void> } = {
    services: () => watch('services', SERVICES, index.services),
    pods: () => watch('pods', PODS, index.pods),
    nodes: () => watch('nodes', NODES, index.nodes),
    slices: () => watch('slices', ENDPOINT_SLICES, index.slices, ofManager),
  }
  const watches = KINDS[scope].map((kind) => start[kind]())
  void readCheckpoint()

  async function readCheckpoint(): Promise<void> {
    const read = await checkpointFile?.read()
    // An outage meanwhile counts for more.
    if (read !== undefined && !('problem' in before && before.problem.startsWith('the cluster')))
      before = read
    found('checkpoint')
  }

  const isSynced = (): boolean => missing.size === 0

  return {
    cluster,
    synced: synced.promise,
    reading() {
      const size = index.size()
      return {
        cluster,
        synced: isSynced(),
        watches: [...statuses].map(([kind, status]) => ({ ...status.reading(), objects: size[kind] })),
        lanes: LANES.map((lane) => ({
          lane,
          pending: outboxes[lane].size,
          oldestSeconds: outboxes[lane].oldestMs() / 1000,
        })),
      }
    },
    health() {
      const unsynced = outage.isLong() ? 'unreachable' : 'listing'
      const idleMs = Math.min(...[...statuses.values()].map((status) => status.idleMs()))
      return { cluster, state: isSynced() ? 'synced' : unsynced, idleMs }
    },
    async stop(signal) {
      // Noticed now at the latest, so that no checkpoint is left.
      outage.isLong()
      ending.abort()
      await Promise.all(watches)
      const unsent = await Promise.all(LANES.map((lane) => outboxes[lane].drain(signal)))
      await checkpointer?.stop()
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}

const KIND_NAMES = { Service: 'services', Pod: 'pods', Node: 'nodes', EndpointSlice: 'slices' } as const
