import { setMaxListeners } from 'node:events'
import {
  type Change,
  createClusterIndex,
  createLookTime,
  createPace,
  type Fleet,
  fixedRest,
  type JudgedKey,
  type KindIndex,
  keyText,
  liveRest,
  type PermissionSettings,
  parseKeyText,
  permissionsOf,
  type ServiceKey,
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
  untilAborted,
} from '../../shared/kubernetes/index.ts'
import { type KeyMessage, LANES, type Lane, type QueueSender } from '../../shared/queue/index.ts'
import type { Recorder } from '../../shared/recording/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { ClusterReading, Log, RelayMetrics } from '../../shared/telemetry/index.ts'
import type { AcceptedKeys, CheckpointFile } from './checkpoint.ts'
import { changedSince, createCheckpointer } from './checkpointer.ts'
import { createClusterOutage } from './cluster-outage.ts'
import { createFailureLog } from './failure-log.ts'
import type { ClusterHealth } from './health.ts'
import { createMalformedLog } from './malformed-log.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import { createRecentKeys } from './recent-keys.ts'
import { createSentKeys } from './sent-keys.ts'
import { createStandby } from './standby.ts'
import { createSweeper } from './sweeper.ts'
import { createVerifier } from './verifier.ts'
import { createWatchHandler } from './watch-handler.ts'
import { createWatchStatus, type WatchStatus } from './watch-status.ts'

export interface ClusterRelayOptions {
  readonly client: ApiClient
  /** Of all clusters that the relay watches. */
  readonly fleet: Fleet
  readonly settings: PermissionSettings &
    Pick<
      Settings,
      | 'mode'
      | 'managedBy'
      | 'coalescingWindow'
      | 'maxEndpointsPerSlice'
      | 'maximumEndpoints'
      | 'leftovers'
      | 'resyncInterval'
      | 'relayStandby'
      | 'standbyDelay'
      | 'apiCallsPerSecond'
    > &
    Partial<Pick<Settings, 'shadow' | 'sweepCoalescingWindow'>>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly metrics: RelayMetrics
  readonly logger: Log
  /** Default: nothing is recorded. */
  readonly recorder?: Recorder | undefined
  /** Default: none, and every key is sent at the start. */
  readonly checkpointFile?: CheckpointFile
  /** `pods`: only what Services of other clusters take from this one, which another relay follows. Default `everything`. */
  readonly scope?: 'everything' | 'pods'
  /** Told of every object that a watch brought after the first lists, by the changes that it means; often none. */
  readonly onEvent?: (changes: readonly Change[]) => void
  readonly onSent?: (keys: number) => void
  /** Told of a key whose change rested until the slices showed it: nobody is sent to look. */
  readonly onSettled?: (key: ServiceKey) => void
  /** Told after each sweep how many keys were not right, or may not have been, and are on their way. */
  readonly onSwept?: (cluster: string, keys: number) => void
  /** Of a standby: told of each key that may be wrong, of whatever cluster. Default: they are all of this one. */
  readonly onDoubt?: (keys: readonly ServiceKey[]) => void
}

export interface ClusterRelay {
  readonly cluster: string
  /** Resolves when every kind was listed once and the keys are on their way; never while the cluster is unreachable. */
  readonly synced: Promise<void>
  /** Of a standby: sends those of these keys of this cluster that stay wrong. */
  doubt(keys: readonly ServiceKey[]): void
  reading(): ClusterReading
  health(): ClusterHealth
  /** Ends the watches, sends what waits and writes the checkpoint. Resolves to the number of keys not sent when `signal` aborted. */
  stop(signal: AbortSignal): Promise<number>
  /** After the end, where others go on: pods of other clusters no longer concern this one's Services. */
  forget(): void
}

const KINDS = {
  everything: ['services', 'pods', 'nodes', 'slices'],
  pods: ['pods', 'nodes'],
} as const
type Kind = (typeof KINDS)['everything'][number]

/** Nothing, not even a bookmark, for so long means that a watch is dead; API servers send a bookmark a minute. */
const INACTIVITY_MS = 80_000

/** A key that changed so lately, in milliseconds, is about to be written: a sweep looks for what was missed. */
const RECENT_MS = 2_000

/** A look at what a hint names takes two to four calls, a look at a whole Service a few more. */
const CALLS_A_LOOK = 4

/**
 * Watches one cluster and puts the keys of changed Services into its outboxes: after the first lists those that changed
 * since the checkpoint, or all without one, into the sweep lane; then each change into the live lane. After a long outage
 * every key goes into the sweep lane once more; and so do, every `resyncInterval`, the keys whose slices are not right.
 *
 * A standby sends none of these: it remembers them, and puts those that stay wrong into the live lane.
 */
export function startClusterRelay(options: ClusterRelayOptions): ClusterRelay {
  const {
    client,
    fleet,
    settings,
    metrics,
    logger,
    checkpointFile,
    scope = 'everything',
    onEvent,
    onDoubt = doubt,
  } = options
  const { cluster } = client
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  const tellMalformed = createMalformedLog(logger, cluster)
  const index = createClusterIndex(cluster, settings.mode, fleet, {
    permissions: permissionsOf(cluster, settings),
    onMalformed(object) {
      metrics.count('malformed_objects', { cluster, kind: KIND_NAMES[object.kind] })
      tellMalformed(object)
    },
    onWritten(key) {
      lookTime.written(key)
      outboxes.live.written(key)
      verifier.written(key)
      standby?.written(key)
    },
  })
  const lookTime = createLookTime()
  const verifier = createVerifier({ index, emit: (changes) => emit(changes, 'verification') })
  const sentKeys = options.recorder && createSentKeys(options.recorder)
  const sweepWindowMs = (settings.sweepCoalescingWindow ?? 0) * 1000
  const outboxes = {
    live: outbox('live', {
      restOf: (key) => liveRest(settings.coalescingWindow, index.endpoints(key), lookTime.mostMs(key)),
      isSettled,
      pace: createPace(settings.apiCallsPerSecond / CALLS_A_LOOK),
    }),
    sweep: outbox('sweep', { restOf: () => fixedRest(sweepWindowMs) }),
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
  const recent = createRecentKeys(RECENT_MS)
  const sweeper = createSweeper({
    intervalMs: settings.resyncInterval * 1000,
    judge,
    isRecent: recent.has,
    onSwept: sweepFound,
  })
  const standby =
    settings.relayStandby && scope === 'everything'
      ? createStandby({
          delayMs: settings.standbyDelay * 1000,
          mostMs: settings.resyncInterval * 1000,
          judge: (key) => index.verdict(key, settings),
          onLasting: standIn,
        })
      : undefined
  const outage = createClusterOutage({
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

  function outbox(lane: Lane, rules: Pick<OutboxOptions, 'restOf' | 'isSettled' | 'pace'>): Outbox {
    return createOutbox({
      ...rules,
      sender: options.senders[lane],
      logger,
      messageOf,
      onSent: (messages) => {
        metrics.count('keys_sent', { cluster, lane }, messages.length)
        checkpointer?.touch()
        sentKeys?.sent(lane, messages)
        options.onSent?.(messages.length)
      },
      onRejected: () => metrics.count('keys_rejected', { cluster, lane }),
    })
  }

  /** A shadow's slices are those of any manager. */
  function isSettled(change: Change): boolean {
    if (settings.shadow || !index.isPublished(change)) return false
    options.onSettled?.(change)
    return true
  }

  /** A shadow's slices are those of any manager: it always looks at the whole Service. */
  function messageOf({ pods, ...change }: Change): KeyMessage {
    // Slices of other clusters are not seen here.
    if (change.cluster === cluster) lookTime.sent(change)
    const hints = index.hints({ ...change, ...(pods && !settings.shadow && { pods }) }, settings)
    return { ...change, ...hints }
  }

  /** Keys that wait, or whose slices are not verified yet, are left out: a start from here would have to send them. */
  function accepted(): AcceptedKeys {
    const digests = index.digests()
    for (const key of verifier.keys()) digests.delete(key)
    for (const lane of LANES) for (const key of outboxes[lane].keys()) digests.delete(key)
    return digests
  }

  /** @param about the kind whose objects changed, for the recording */
  function emit(changes: readonly Change[], about: string): void {
    checkpointer?.touch()
    // Until every kind is known a change may be missed or misjudged; the keys sent after that make up for it.
    if (missing.size > 0) return
    onEvent?.(changes)
    if (settings.relayStandby) {
      onDoubt(changes)
      return
    }
    recent.add(changes)
    sentKeys?.changed('live', about, changes)
    outboxes.live.add(changes)
  }

  /** A list that is not complete yet adds every key itself once it is. */
  function doubt(keys: readonly ServiceKey[]): void {
    if (missing.size === 0) for (const key of keys) standby?.changed(key)
  }

  /** Without a hint: what was missed is not known. */
  function standIn(key: ServiceKey, verdict: 'wrong' | 'unknown'): void {
    metrics.count('standby_keys', { cluster, verdict })
    sentKeys?.changed('live', 'standby', [key])
    outboxes.live.add([key])
  }

  function sweep(keys: readonly Change[], reason: 'start' | 'changed' | 'outage' | 'sweep'): void {
    if (settings.relayStandby) {
      onDoubt(keys)
      return
    }
    metrics.count('keys_swept', { cluster, reason }, keys.length)
    sentKeys?.changed('sweep', reason, keys)
    outboxes.sweep.add(keys)
  }

  /** A shadow compares slices that are not as Sliceflow would write them: every key is to be looked at. */
  function judge(): Iterable<JudgedKey> {
    if (settings.shadow) return index.keys().map((key) => ({ ...key, verdict: 'unknown' }))
    return index.verdicts(settings)
  }

  function sweepFound(keys: readonly ServiceKey[]): void {
    const waiting = outboxes.live.keys().union(outboxes.sweep.keys())
    const missed = keys.filter((key) => !waiting.has(keyText(key)))
    sweep(missed, 'sweep')
    options.onSwept?.(cluster, missed.length)
    logger.info(
      { cluster, keys: missed.length },
      'swept the cluster; keys whose slices are not right are sent',
    )
  }

  function found(what: Kind | 'checkpoint'): void {
    if (!missing.delete(what) || missing.size > 0 || ending.signal.aborted) return
    const keys = index.keys()
    const known = hadOutage ? { problem: 'the cluster could not be reached for a while' } : before
    if (settings.relayStandby) {
      onDoubt(keys)
      logger.info(
        { cluster, ...index.size() },
        'following the cluster as a standby: keys that stay wrong are sent',
      )
    } else if ('problem' in known) {
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
    if (scope === 'everything' && !settings.relayStandby) sweeper.start()
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
    logger.warn(told, 'the cluster is out of reach: the keys of Services that take its pods are looked at')
  }

  function outageOver(): void {
    checkpointer?.resume()
    if (missing.size > 0) {
      hadOutage = true
      return
    }
    const keys = index.keys()
    sweep(keys, 'outage')
    logger.info({ cluster, keys: keys.length }, 'the cluster is back after an outage; every key is looked at')
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
    const told = {
      emit: (changes: readonly Change[]) => emit(changes, ABOUT[kind]),
      listed: () => found(kind),
    }
    const common = { cluster, metrics, logger, failures, outage, ...told }
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
    doubt,
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
      const watches = [...statuses].map(([kind, status]) => ({ kind, idleMs: status.idleMs() }))
      return { cluster, state: isSynced() ? 'synced' : unsynced, watches }
    },
    async stop(signal) {
      // Noticed now at the latest, so that no checkpoint is left.
      outage.isLong()
      ending.abort()
      sweeper.stop()
      standby?.stop()
      // A call that does not follow its abort must not hold up the end.
      await Promise.race([Promise.all(watches), untilAborted(signal)])
      verifier.end()
      const unsent = await Promise.all(LANES.map((lane) => outboxes[lane].drain(signal)))
      await checkpointer?.stop()
      return unsent.reduce((sum, count) => sum + count, 0)
    },
    forget() {
      index.services.listing()
      index.services.listed()
    },
  }
}

const KIND_NAMES = { Service: 'services', Pod: 'pods', Node: 'nodes', EndpointSlice: 'slices' } as const

const ABOUT = { services: 'service', pods: 'pod', nodes: 'node', slices: 'slice' } as const
