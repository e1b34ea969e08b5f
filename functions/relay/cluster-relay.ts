import { setMaxListeners } from 'node:events'
import {
  type Change,
  type ClusterIndex,
  createClusterIndex,
  type KindName,
  kindNamed,
  kindsOf,
  OWNER_KINDS,
  permissionsOf,
  type Scope,
  type ServiceKey,
  Verifier,
} from '../../shared/changes/index.ts'
import { type ApiClient, untilAborted } from '../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../shared/queue/index.ts'
import { createAddressFilter } from '../../shared/reconciler/index.ts'
import type { ClusterReading } from '../../shared/telemetry/index.ts'
import type { AcceptedKeys, CheckpointFile } from './checkpoint/checkpoint.ts'
import { type Checkpointer, createCheckpointer } from './checkpoint/checkpointer.ts'
import { createInitialSync, type KnownKeys } from './checkpoint/initial-sync.ts'
import type { ClusterHealth } from './health/health.ts'
import { warnOfLeftBehind } from './left-behind.ts'
import { ClusterLanes } from './outbox/cluster-lanes.ts'
import type {
  ClusterRelaySettings,
  RelayObserver,
  RelayTelemetry,
  SharedAmongClusters,
} from './relay-options.ts'
import { createStandby, type Standby } from './standby.ts'
import { createSweeps, type Sweeps } from './sweeps.ts'
import { createClusterOutage, type OutageCause } from './watch/cluster-outage.ts'
import { createMalformedLog } from './watch/malformed-log.ts'
import { watchOutside } from './watch/outside.ts'
import { type Reflectors, startReflectors } from './watch/reflectors.ts'
import { INACTIVITY_MS } from './watch/served-watcher.ts'

interface ClusterRelayOptions {
  readonly client: ApiClient
  readonly shared: SharedAmongClusters
  readonly settings: ClusterRelaySettings
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly telemetry: RelayTelemetry
  readonly observer: RelayObserver
  /** Default: none, and every key is sent at the start. */
  readonly checkpointFile?: CheckpointFile
  /** `pods`: only what Services of other clusters take from this one. Default `everything`. */
  readonly scope?: Scope
}

export interface ClusterRelay {
  readonly cluster: string
  /** Resolves when every kind was listed and the keys are queued; never while the cluster is unreachable. */
  readonly synced: Promise<void>
  /** Sends, as a standby, those of these keys of this cluster that stay wrong. */
  suspect(keys: readonly ServiceKey[]): void
  reading(): ClusterReading
  health(): ClusterHealth
  /** Ends the watches, sends what waits and writes the checkpoint. Resolves to the number of unsent keys. */
  stop(signal: AbortSignal): Promise<number>
  /** Forgets the cluster after the end, if others go on: its pods concern no other clusters' Services. */
  forget(): void
}

/**
 * Watches one cluster and puts the keys of changed Services into its outboxes: after the first lists those
 * that changed since the checkpoint, or all without one, into the sweep lane; then each change into the live
 * lane. After a long outage every key goes into the sweep lane once more; and so do, every `sweepInterval`,
 * the keys whose slices are not right.
 *
 * A standby sends none of these: it remembers them, and puts those that stay wrong into the live lane.
 */
export function startClusterRelay(options: ClusterRelayOptions): ClusterRelay {
  const { client, shared, settings, telemetry, observer, checkpointFile, scope = 'everything' } = options
  const { cluster } = client
  const ending = createEnding()
  const { signal } = ending
  const index = indexOf(options, written)
  const verifier = new Verifier({ index, emit: (changes) => emit(changes, 'verification') })
  const lanes = new ClusterLanes({ ...options, index, onAccepted: () => checkpointer?.touch() })
  const checkpointer = checkpointFile && checkpointerOf(options, checkpointFile, { index, verifier, lanes })
  const sweeps = createSweeps({ client, shared, settings, telemetry, observer, scope, index, lanes })
  const standby = standbyOf({ ...options, scope }, index, lanes)
  const outage = createClusterOutage({ silenceMs: INACTIVITY_MS, onLong: outageBegan, onOver: outageOver })
  const sync = createInitialSync({
    kinds: kindsOf(scope, settings),
    checkpointFile,
    without: WITHOUT_CHECKPOINT[scope],
    signal,
    onSynced: follow,
  })
  const events = { outage, changed: emit, listed }
  const reflectors = startReflectors({ ...options, scope, index, events, signal })

  function written(key: ServiceKey): void {
    lanes.written(key)
    verifier.written(key)
    standby?.written(key)
  }

  function listed(kind: KindName): void {
    sync.listed(kind)
    verifier.listed()
  }

  /** @param about the kind whose objects changed, for the recording */
  function emit(changes: readonly Change[], about: string): void {
    checkpointer?.touch()
    // Until every kind is known a change may be missed or wrong; the keys sent after that make up for it.
    if (!sync.hasSynced()) return
    observer.onEvent?.(changes)
    if (settings.relayStandby) {
      shared.suspect(changes)
      return
    }
    sweeps.changed(changes)
    lanes.add('live', about, changes)
  }

  /** Takes keys that may be wrong. A list that is not complete yet adds every key itself once it is. */
  function suspect(keys: readonly ServiceKey[]): void {
    if (sync.hasSynced()) for (const key of keys) standby?.changed(key)
  }

  function follow(known: KnownKeys): void {
    sweeps.synced(known)
    if (scope === 'everything') watchOutside({ cluster, index, signal, changed: emit })
    if (scope === 'everything' && !settings.shadow) {
      const [{ managedBy }, { logger }] = [settings, telemetry]
      const [services, unpublished] = [index.keeping(settings), index.unpublished()]
      void warnOfLeftBehind({ client, logger, managedBy, services, unpublished, signal })
    }
    checkpointer?.start()
  }

  function outageBegan(cause: OutageCause): void {
    void checkpointer?.suspend()
    sweeps.onProlongedOutage(cause)
  }

  function outageOver(): void {
    checkpointer?.resume()
    if (sync.hasSynced()) sweeps.outageOver()
    else sync.interrupted()
  }

  return {
    cluster,
    synced: sync.synced,
    suspect,
    reading: () => ({
      ...{ cluster, synced: sync.hasSynced(), paused: index.paused() },
      ...{ watches: reflectors.readings(), lanes: lanes.readings() },
    }),
    health: () => ({
      ...{ cluster, hasSynced: sync.hasSynced(), isOut: outage.isLong() },
      watches: reflectors.health(),
    }),
    stop(signal) {
      // Noticed now at the latest, so that no checkpoint is left.
      outage.isLong()
      ending.abort()
      return endParts({ sweeps, standby, reflectors, verifier, lanes, checkpointer }, signal)
    },
    forget: () => forgetOwners(index),
  }
}

function createEnding(): AbortController {
  const ending = new AbortController()
  // Every call to the cluster listens.
  setMaxListeners(0, ending.signal)
  return ending
}

function forgetOwners(index: ClusterIndex): void {
  for (const kind of OWNER_KINDS) {
    index[kind].listing()
    index[kind].listed()
  }
}

/** Reason why every key is sent at the start, by the scope. */
const WITHOUT_CHECKPOINT = {
  everything: 'the relay has no state directory',
  pods: 'it is followed for other clusters only',
} as const

function indexOf(
  {
    client: { cluster },
    shared: { selectors },
    settings,
    telemetry: { metrics, logger },
  }: ClusterRelayOptions,
  onWritten: (key: ServiceKey) => void,
): ClusterIndex {
  const reportMalformed = createMalformedLog(logger, cluster)
  return createClusterIndex(cluster, settings.mode, selectors, {
    permissions: permissionsOf(cluster, settings),
    publishable: createAddressFilter(settings.refusedAddresses).filterPod,
    onMalformed(object) {
      metrics.count('malformed_objects', { cluster, kind: kindNamed(object.kind) ?? object.kind })
      reportMalformed(object)
    },
    onWritten,
  })
}

interface Parts {
  readonly index: ClusterIndex
  readonly verifier: Verifier
  readonly lanes: ClusterLanes
}

function checkpointerOf(
  { client: { cluster }, telemetry: { logger, metrics } }: ClusterRelayOptions,
  file: CheckpointFile,
  parts: Parts,
): Checkpointer {
  // As 0 from the start: a counter that begins with its first failure has not increased.
  metrics.count('checkpoint_failures', { cluster }, 0)
  const accepted = (): AcceptedKeys => acceptedKeys(parts)
  const onFailed = (): void => metrics.count('checkpoint_failures', { cluster })
  return createCheckpointer({ cluster, file, accepted, logger, onFailed })
}

/** Returns the keys for a checkpoint, without those that a start must send: waiting or unverified ones. */
function acceptedKeys({ index, verifier, lanes }: Parts): AcceptedKeys {
  const digests = index.digests()
  for (const key of verifier.keys()) digests.delete(key)
  for (const key of lanes.waiting()) digests.delete(key)
  return digests
}

function standbyOf(
  { client: { cluster }, shared, settings, telemetry: { metrics }, observer, scope }: ClusterRelayOptions,
  index: ClusterIndex,
  lanes: ClusterLanes,
): Standby | undefined {
  if (!settings.relayStandby || scope !== 'everything') return undefined
  return createStandby({
    delayMs: settings.standbyDelay * 1000,
    maxMs: settings.sweepInterval * 1000,
    compareWithDesired: (key) => index.state(key, settings),
    nextTurn: shared.nextTurn,
    /** Sends the key without a hint, as it is not known what was missed. */
    onStale(key, state) {
      metrics.count('standby_keys', { cluster, state })
      lanes.add('live', 'standby', [key])
    },
    onSettled: (key) => observer.onSettled?.(key),
  })
}

interface Ending extends Pick<Parts, 'verifier' | 'lanes'> {
  readonly sweeps: Sweeps
  readonly standby: Standby | undefined
  readonly reflectors: Reflectors
  readonly checkpointer: Checkpointer | undefined
}

async function endParts(
  { sweeps, standby, reflectors, verifier, lanes, checkpointer }: Ending,
  signal: AbortSignal,
): Promise<number> {
  sweeps.stop()
  standby?.stop()
  // A call that does not follow its abort must not hold up the end.
  await Promise.race([reflectors.ended(), untilAborted(signal)])
  verifier.end()
  const unsent = await lanes.drain(signal)
  await checkpointer?.stop()
  return unsent
}
