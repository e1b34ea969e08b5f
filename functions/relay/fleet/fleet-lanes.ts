import {
  type ClusterHistory,
  createTokenBucket,
  type FleetVersions,
  fixedDelay,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import type { Lane, QueueSender } from '../../../shared/queue/index.ts'
import { type Settings, windowSeconds } from '../../../shared/settings/index.ts'
import type { Log, RelayMetrics } from '../../../shared/telemetry/index.ts'
import { createLaneOutboxes, type LaneOutboxes } from '../lane-outboxes.ts'

/** A look reads up to six objects or lists of each member. */
const CALLS_PER_SYNC = 6

export interface FleetLanesOptions {
  /** Name that stands for a cluster in the set's keys. */
  readonly cluster: string
  readonly settings: Pick<Settings, 'coalescingWindow' | 'sweepCoalescingWindow' | 'apiCallsPerSecond'>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly metrics: RelayMetrics
  readonly logger: Log
  readonly onSent?: ((keys: number) => void) | undefined
  /** History of the versions. */
  readonly history: ClusterHistory
  readonly versions: (key: ServiceKey) => FleetVersions | undefined
  /** Digest of the set's members. */
  readonly membersDigest: string
}

/** Sends the keys of one set. */
export type FleetLanes = Omit<LaneOutboxes, 'written'>

/**
 * Creates the lanes of a set. A key of the live lane rests for the whole coalescing window: a write that one
 * cluster shows says nothing of the others, and the events of a look's writes in all of them shall be one
 * more key and not one each.
 */
export const createFleetLanes = ({
  settings,
  history,
  versions,
  membersDigest,
  onSent,
  ...options
}: FleetLanesOptions): FleetLanes =>
  createLaneOutboxes({
    ...options,
    // A sweep names no versions: whatever the relay is wrong about, everything is read.
    messageOf(change, lane) {
      const fleetVersions = lane === 'live' ? versions(change) : undefined
      const versioned = fleetVersions && { fleetVersions, history: history.id }
      return { ...change, membersDigest, ...versioned }
    },
    rules: {
      live: {
        delayOf: () => fixedDelay(windowSeconds(settings) * 1000),
        pace: createTokenBucket(settings.apiCallsPerSecond / CALLS_PER_SYNC),
      },
      sweep: { delayOf: () => fixedDelay(settings.sweepCoalescingWindow * 1000) },
    },
    onSent: (_lane, { length }) => onSent?.(length),
  })
