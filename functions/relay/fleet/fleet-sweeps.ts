import type { Change } from '../../../shared/changes/index.ts'
import type { FleetIndex } from '../../../shared/fleet/index.ts'
import { createTurns } from '../../../shared/kubernetes/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import type { Log, RelayMetrics } from '../../../shared/telemetry/index.ts'
import type { Lanes } from '../outbox/outbox.ts'
import { Sweeper } from '../sweeper.ts'
import { type OutageCause, RESTORED } from '../watch/cluster-outage.ts'

interface FleetSweepsOptions {
  /** Name that stands for a cluster in the set's keys. */
  readonly cluster: string
  readonly index: FleetIndex
  readonly lanes: Lanes
  readonly metrics: RelayMetrics
  readonly logger: Log
  readonly settings: Pick<Settings, 'sweepInterval'>
}

/** Puts keys of a set into the sweep lane, to find missed changes. */
export function createFleetSweeps({ index, lanes, metrics, logger, ...options }: FleetSweepsOptions) {
  const { cluster, settings } = options
  const sweeper = new Sweeper({
    intervalMs: settings.sweepInterval * 1000,
    compareWithDesired: () => index.keys().map((key) => ({ ...key, state: 'unknown' })),
    waiting: () => lanes.waiting(),
    nextTurn: createTurns(),
    onSwept(keys) {
      sweep(keys, 'sweep')
      logger.info({ keys: keys.length }, 'swept the cluster set; checking its keys')
    },
  })

  function sweep(keys: readonly Change[], reason: 'start' | 'outage' | 'sweep'): void {
    metrics.count('keys_swept', { cluster, reason }, keys.length)
    lanes.sweep.add(keys)
  }

  return {
    /** Starts to send all keys every `sweepInterval`, as the state of their Services is unknown here. */
    start: (): void => sweeper.start(),
    /** Sends all keys, as these members are listed: what they have, or lack, may concern every key. */
    synced(clusters: readonly string[]): void {
      if (clusters.length === 0) return
      const keys = index.keys()
      sweep(keys, 'start')
      logger.info(
        { clusters, keys: keys.length },
        'watching the clusters of the set: all Services are queued',
      )
    },
    /** Passes over keys for a moment, as they were sent for a change. */
    changed: (changes: readonly Change[]): void => sweeper.changed(changes),
    /**
     * Notes that a member is out of reach for long, or was restored from a backup. Syncs of what it exports
     * do what the setting unreachableCluster says.
     */
    onProlongedOutage(member: string, cause: OutageCause): void {
      if (cause === 'restored') {
        logger.warn({ cluster: member }, RESTORED)
        return
      }
      const keys = index.members.get(member)?.exported() ?? []
      sweep(keys, 'outage')
      logger.warn(
        { cluster: member, keys: keys.length },
        'a cluster of the set cannot be reached: checking the Services that it exports',
      )
    },
    /** Functions may have given up on any key that is imported there. */
    outageOver(member: string): void {
      const keys = index.keys()
      sweep(keys, 'outage')
      logger.info(
        { cluster: member, keys: keys.length },
        'a cluster of the set is back after an outage; checking every key',
      )
    },
    stop: (): void => sweeper.stop(),
  }
}
