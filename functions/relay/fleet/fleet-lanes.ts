import {
  type Change,
  createPace,
  type FleetVersions,
  fixedRest,
  type KeyText,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import { LANES, type Lane, type QueueSender } from '../../../shared/queue/index.ts'
import { type Settings, windowSeconds } from '../../../shared/settings/index.ts'
import type { LaneReading, Log, RelayMetrics } from '../../../shared/telemetry/index.ts'
import { createOutbox, type Outbox } from '../outbox.ts'

/** A look reads up to six objects or lists of each member. */
const CALLS_A_LOOK = 6

export interface FleetLanesOptions {
  /** What stands for a cluster in the set's keys. */
  readonly cluster: string
  readonly settings: Pick<Settings, 'coalescingWindow' | 'sweepCoalescingWindow' | 'apiCallsPerSecond'>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly metrics: RelayMetrics
  readonly logger: Log
  readonly onSent?: ((keys: number) => void) | undefined
  readonly versions: (key: ServiceKey) => FleetVersions | undefined
}

/** Sends the keys of one set. */
export interface FleetLanes {
  add(lane: Lane, changes: readonly Change[]): void
  /** Keys not yet accepted by the queue. */
  waiting(): Set<KeyText>
  readings(): LaneReading[]
  /**
   * Sends what waits, whatever rests. Resolves to the number of keys that could not be sent before `signal`
   * aborted.
   */
  drain(signal: AbortSignal): Promise<number>
}

/**
 * A key of the live lane rests for the whole window: that one cluster shows a write says nothing of the
 * others, and what a look writes in all of them comes back as events, which shall be one more key and not
 * one each.
 */
export function createFleetLanes(options: FleetLanesOptions): FleetLanes {
  const { cluster, settings, senders, metrics, logger, onSent, versions } = options
  const outbox = (lane: Lane, windowMs: number): Outbox =>
    createOutbox({
      sender: senders[lane],
      logger,
      restOf: () => fixedRest(windowMs),
      ...(lane === 'live' && { pace: createPace(settings.apiCallsPerSecond / CALLS_A_LOOK) }),
      messageOf(change) {
        const fleetVersions = versions(change)
        return { ...change, ...(fleetVersions && { fleetVersions }) }
      },
      onSent({ length }) {
        metrics.count('keys_sent', { cluster, lane }, length)
        onSent?.(length)
      },
      onRejected: () => metrics.count('keys_rejected', { cluster, lane }),
    })
  const outboxes = {
    live: outbox('live', windowSeconds(settings) * 1000),
    sweep: outbox('sweep', settings.sweepCoalescingWindow * 1000),
  }
  // Told as 0 from the start: a counter that begins with its first failure has not increased.
  for (const lane of LANES) metrics.count('keys_rejected', { cluster, lane }, 0)

  return {
    add: (lane, changes) => outboxes[lane].add(changes),
    waiting: () => outboxes.live.keys().union(outboxes.sweep.keys()),
    readings: () =>
      LANES.map((lane) => ({
        lane,
        pending: outboxes[lane].size,
        oldestSeconds: outboxes[lane].oldestMs() / 1000,
      })),
    async drain(signal) {
      const unsent = await Promise.all(LANES.map((lane) => outboxes[lane].drain(signal)))
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}
