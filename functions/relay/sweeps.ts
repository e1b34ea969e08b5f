import {
  type Change,
  type ClusterIndex,
  type ComparedKey,
  keyText,
  parseKeyText,
  type Scope,
  type ServiceKey,
} from '../../shared/changes/index.ts'
import type { ApiClient } from '../../shared/kubernetes/index.ts'
import type { AcceptedKeys } from './checkpoint/checkpoint.ts'
import { changedSince } from './checkpoint/checkpointer.ts'
import type { KnownKeys } from './checkpoint/initial-sync.ts'
import type { ClusterLanes } from './outbox/cluster-lanes.ts'
import type {
  ClusterRelaySettings,
  RelayObserver,
  RelayTelemetry,
  SharedAmongClusters,
} from './relay-options.ts'
import { Sweeper } from './sweeper.ts'
import { type OutageCause, RESTORED } from './watch/cluster-outage.ts'

interface SweepsOptions {
  readonly client: ApiClient
  readonly shared: Pick<SharedAmongClusters, 'suspect' | 'nextTurn'>
  readonly settings: ClusterRelaySettings
  readonly telemetry: RelayTelemetry
  readonly observer: Pick<RelayObserver, 'onSweep'>
  readonly scope: Scope
  readonly index: ClusterIndex
  readonly lanes: ClusterLanes
}

export type Sweeps = ReturnType<typeof createSweeps>

/** Sends keys by the sweep lane for what may have been missed: at start, after an outage, at intervals. */
export function createSweeps({ index, settings, lanes, observer, ...options }: SweepsOptions) {
  const { client, shared, scope, telemetry } = options
  const { metrics, logger } = telemetry
  const { cluster } = client
  const sweeper = new Sweeper({
    intervalMs: settings.sweepInterval * 1000,
    compareWithDesired,
    waiting: () => lanes.waiting(),
    nextTurn: shared.nextTurn,
    onSwept: sweepFound,
  })

  function sweep(keys: readonly Change[], reason: 'start' | 'changed' | 'outage' | 'sweep'): void {
    if (settings.relayStandby) {
      shared.suspect(keys)
      return
    }
    metrics.count('keys_swept', { cluster, reason }, keys.length)
    lanes.add('sweep', reason, keys)
  }

  /** Compares every key. In shadow mode the slices are not Sliceflow's, so every key is unknown. */
  function compareWithDesired(): Iterable<ComparedKey> {
    if (settings.shadow) return index.keys().map((key) => ({ ...key, state: 'unknown' }))
    return index.compareAll(settings)
  }

  function sweepFound(keys: readonly ServiceKey[]): void {
    sweep(keys, 'sweep')
    observer.onSweep?.(cluster, keys.length)
    const fields = { cluster, keys: keys.length }
    logger.info(fields, 'swept the cluster; sending the keys whose slices are not right')
  }

  function sweepAll(keys: readonly Change[], reason: string): void {
    sweep(keys, 'start')
    const cost = { keys: keys.length, reason, requests: Math.ceil(keys.length / 10) }
    logger.info(
      { cluster, ...index.size(), ...cost },
      'watching the cluster: no checkpoint, so all Services are queued',
    )
  }

  function sweepChanged(keys: readonly Change[], known: AcceptedKeys): void {
    const changed = changedKeys(known, keys, index.digests())
    sweep(changed, 'changed')
    const unchanged = Math.max(0, keys.length - changed.length)
    metrics.count('keys_suppressed', { cluster }, unchanged)
    const cost = { keys: changed.length, unchanged }
    logger.info(
      { cluster, ...index.size(), ...cost },
      'watching the cluster: Services that changed since the checkpoint are queued',
    )
  }

  return {
    /** Sends the keys that changed meanwhile, and begins to sweep every `sweepInterval`. */
    synced(known: KnownKeys): void {
      const keys = index.keys()
      if (settings.relayStandby) {
        shared.suspect(keys)
        const size = index.size()
        logger.info({ cluster, ...size }, 'watching the cluster as a standby: sending keys that stay wrong')
      } else if ('problem' in known) sweepAll(keys, known.problem)
      else sweepChanged(keys, known.keys)
      if (scope !== 'pods' && !settings.relayStandby) sweeper.start()
    },
    /** Notes that keys were sent for a change: for a moment their slices need not be right. */
    changed: (keys: readonly ServiceKey[]): void => sweeper.changed(keys),
    /**
     * Notes that the cluster has been out of reach for long, or was restored from a backup.
     * Syncs of Services of other clusters will fail as well, and only they do what the setting
     * unreachableCluster says.
     */
    onProlongedOutage(cause: OutageCause): void {
      if (cause === 'restored') {
        logger.warn({ cluster }, RESTORED)
        return
      }
      const foreign = index.keys().filter((key) => key.cluster !== cluster)
      if (foreign.length === 0) return
      sweep(foreign, 'outage')
      const fields = { cluster, keys: foreign.length }
      logger.warn(fields, 'the cluster cannot be reached: checking the Services that take its pods')
    },
    outageOver(): void {
      const keys = index.keys()
      sweep(keys, 'outage')
      logger.info({ cluster, keys: keys.length }, 'the cluster is back after an outage; checking every key')
    },
    stop: (): void => sweeper.stop(),
  }
}

function changedKeys(
  known: AcceptedKeys,
  keys: readonly Change[],
  digests: ReturnType<ClusterIndex['digests']>,
): Change[] {
  const byText = new Map(keys.map((key) => [keyText(key), key]))
  const changed = changedSince(known, { keys: byText.keys(), digests })
  return [...changed].map((text) => byText.get(text) ?? parseKeyText(text))
}
