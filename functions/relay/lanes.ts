import {
  type Change,
  type ClusterIndex,
  createLookTime,
  createPace,
  fixedRest,
  type KeyText,
  liveRest,
  type ServiceKey,
} from '../../shared/changes/index.ts'
import { type KeyMessage, LANES, type Lane } from '../../shared/queue/index.ts'
import type { LaneReading } from '../../shared/telemetry/index.ts'
import { createSendTraces } from '../../shared/tracing/index.ts'
import type { ClusterRelayOptions } from './cluster-relay.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import { createSentKeys } from './sent-keys.ts'

/** A look at what a hint names takes two to four calls, a look at a whole Service a few more. */
const CALLS_A_LOOK = 4

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
export interface Lanes {
  /** @param about the kind whose objects changed or why the keys are sent, for the recording */
  add(lane: Lane, about: string, changes: readonly Change[]): void
  /** Notes that the Service's slices were seen written. */
  written(key: ServiceKey): void
  /** Returns the keys not yet accepted by the queue. */
  waiting(): Set<KeyText>
  readings(): LaneReading[]
  /**
   * Sends what waits, whatever rests. Resolves to the number of keys that could not be sent before `signal`
   * aborted.
   */
  drain(signal: AbortSignal): Promise<number>
}

export function createLanes({ index, settings, metrics, ...options }: LanesOptions): Lanes {
  const { cluster } = options.client
  const lookTime = createLookTime()
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

  // Told as 0 from the start: a counter that begins with its first failure has not increased.
  for (const lane of LANES) metrics.count('keys_rejected', { cluster, lane }, 0)

  function outbox(lane: Lane, rules: Pick<OutboxOptions, 'restOf' | 'isSettled' | 'pace'>): Outbox {
    return createOutbox({
      ...rules,
      sender: options.senders[lane],
      logger: options.logger,
      messageOf,
      traces: options.tracing && createSendTraces(options.tracing, lane),
      onSent: (messages) => {
        metrics.count('keys_sent', { cluster, lane }, messages.length)
        options.onAccepted()
        sentKeys?.sent(lane, messages)
        options.onSent?.(messages.length)
      },
      onRejected: () => metrics.count('keys_rejected', { cluster, lane }),
    })
  }

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
   * any manager.
   */
  function messageOf({ pods, ...change }: Change): KeyMessage {
    // Slices of other clusters are not seen here.
    if (change.cluster === cluster) lookTime.sent(change)
    const hints = index.hints({ ...change, ...(pods && !settings.shadow && { pods }) }, settings)
    return { ...change, ...hints }
  }

  return {
    add(lane, about, changes) {
      sentKeys?.changed(lane, about, changes)
      outboxes[lane].add(changes)
    },
    written(key) {
      lookTime.written(key)
      outboxes.live.written(key)
    },
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
