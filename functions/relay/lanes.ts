import {
  type Change,
  type ClusterIndex,
  createSyncLatency,
  createTokenBucket,
  fixedDelay,
  liveDelay,
} from '../../shared/changes/index.ts'
import { type KeyMessage, type Lane, withoutVersions } from '../../shared/queue/index.ts'
import { createSendTraces, type SendTraces } from '../../shared/tracing/index.ts'
import type { ClusterRelayOptions } from './cluster-relay.ts'
import { createLaneOutboxes, type LaneOutboxes } from './lane-outboxes.ts'
import { createSentKeys } from './recorded-keys.ts'

/** A look at what a hint names takes two to four calls, a look at a whole Service a few more. */
const CALLS_PER_SYNC = 4

export interface LanesOptions
  extends Pick<
    ClusterRelayOptions,
    'client' | 'settings' | 'senders' | 'metrics' | 'logger' | 'recorder' | 'tracing' | 'onSent' | 'onSettled'
  > {
  readonly index: ClusterIndex
  /** Called whenever the queue has accepted keys. */
  readonly onAccepted: () => void
}

/**
 * Sends the keys of one cluster: changes at once, by the live lane, and keys to be looked at anew by the
 * sweep lane.
 */
export interface Lanes extends Omit<LaneOutboxes, 'add'> {
  /** @param about the kind whose objects changed or why the keys are sent, for the recording */
  add(lane: Lane, about: string, changes: readonly Change[]): void
}

export function createLanes({ index, settings, metrics, ...options }: LanesOptions): Lanes {
  const { cluster } = options.client
  const syncLatency = createSyncLatency()
  const sentKeys = options.recorder && createSentKeys(options.recorder)
  const sweepWindowMs = (settings.sweepCoalescingWindow ?? 0) * 1000
  const tracesOf = (lane: Lane): SendTraces | undefined =>
    options.tracing && createSendTraces(options.tracing, lane)
  const outboxes = createLaneOutboxes({
    cluster,
    senders: options.senders,
    metrics,
    logger: options.logger,
    messageOf,
    rules: {
      live: {
        delayOf: (key) =>
          liveDelay(settings.coalescingWindow, index.endpointCount(key), syncLatency.maxMs(key)),
        isSettled,
        pace: createTokenBucket(settings.apiCallsPerSecond / CALLS_PER_SYNC),
        traces: tracesOf('live'),
      },
      sweep: { delayOf: () => fixedDelay(sweepWindowMs), traces: tracesOf('sweep') },
    },
    onSent(lane, messages) {
      options.onAccepted()
      sentKeys?.sent(lane, messages)
      options.onSent?.(messages.length)
    },
  })

  /**
   * Reports whether the slices already show the change. In shadow mode they never do, as they may be of any
   * manager.
   */
  function isSettled(change: Change): boolean {
    if (settings.shadow || !index.isPublished(change)) return false
    sentKeys?.settled('live', change)
    options.onSettled?.(change)
    return true
  }

  /**
   * Makes the message of a change. In shadow mode it always asks for the whole Service, as slices may be of
   * any manager. A sweep's names no versions: whatever the relay is wrong about, everything is read.
   */
  function messageOf({ pods, ...change }: Change, lane: Lane): KeyMessage {
    // Slices of other clusters are not seen here.
    if (change.cluster === cluster) syncLatency.sent(change)
    const hints = index.hints({ ...change, ...(pods && !settings.shadow && { pods }) }, settings)
    const message = { ...change, ...hints }
    return lane === 'sweep' ? withoutVersions(message) : { ...message, history: index.history.id }
  }

  return {
    ...outboxes,
    add(lane, about, changes) {
      sentKeys?.changed(lane, about, changes)
      outboxes.add(lane, changes)
    },
    written(key) {
      syncLatency.written(key)
      sentKeys?.written(key)
      outboxes.written(key)
    },
  }
}
