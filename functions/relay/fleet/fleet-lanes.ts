import {
  type ClusterHistory,
  type FleetVersions,
  fixedTime,
  keyBucket,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import type { KeyMessage, Lane, QueueSender } from '../../../shared/queue/index.ts'
import { type Settings, windowSeconds } from '../../../shared/settings/index.ts'
import { Lanes } from '../outbox/outbox.ts'
import type { RelayObserver, RelayTelemetry } from '../relay-options.ts'

/** A sync reads up to six objects or lists of each member. */
const CALLS_PER_SYNC = 6

export interface FleetLanesOptions {
  /** Name that stands for a cluster in the set's keys. */
  readonly cluster: string
  readonly settings: Pick<Settings, 'coalescingWindow' | 'apiCallsPerSecond'>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly telemetry: RelayTelemetry
  readonly observer: Pick<RelayObserver, 'onSent'>
  readonly versions: SetVersions
  readonly membersDigest: string
}

/** The last known state of the objects behind the keys of a set. */
interface SetVersions {
  readonly history: ClusterHistory
  of(key: ServiceKey): FleetVersions | undefined
}

/**
 * Creates the lanes of a set. A key of the live lane is sent once in the coalescing window: a write that one
 * cluster shows says nothing of the others, and the events of a sync's writes in all of them shall be one
 * more key and not one each.
 */
export function createFleetLanes({ settings, ...options }: FleetLanesOptions): Lanes {
  const { versions, membersDigest, observer } = options
  const liveTime = fixedTime(windowSeconds(settings) * 1000)
  const sweepTime = fixedTime(0)
  const countSent = (messages: readonly KeyMessage[]): void => observer.onSent?.(messages.length)
  return new Lanes({
    ...options,
    rules: {
      live: {
        processingTime: () => liveTime,
        bucket: keyBucket(settings.apiCallsPerSecond / CALLS_PER_SYNC),
        messageOf(change) {
          const fleetVersions = versions.of(change)
          const versioned = fleetVersions && { fleetVersions, history: versions.history.id }
          return { ...change, membersDigest, ...versioned }
        },
        onSent: countSent,
      },
      // It has no versions, as the relay's cache may be wrong: everything is read.
      sweep: {
        processingTime: () => sweepTime,
        messageOf: (change) => ({ ...change, membersDigest }),
        onSent: countSent,
      },
    },
  })
}
