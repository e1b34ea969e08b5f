import {
  type Change,
  type ClusterIndex,
  fixedTime,
  type KeyText,
  RateLimiter,
  type ServiceKey,
} from '../../../shared/changes/index.ts'
import type { ApiClient } from '../../../shared/kubernetes/index.ts'
import { type KeyMessage, type Lane, type QueueSender, withoutVersions } from '../../../shared/queue/index.ts'
import type { LaneReading } from '../../../shared/telemetry/index.ts'
import { createSendTraces } from '../../../shared/tracing/index.ts'
import type { ClusterRelaySettings, RelayObserver, RelayTelemetry } from '../relay-options.ts'
import { Lanes, type SendRules } from './outbox.ts'
import { createSentKeys, type SentKeys } from './recorded-keys.ts'

const AT_ONCE = fixedTime(0)

export interface ClusterLanesOptions {
  readonly client: ApiClient
  readonly settings: ClusterRelaySettings
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly telemetry: RelayTelemetry
  readonly observer: Pick<RelayObserver, 'onSent' | 'onSettled'>
  readonly index: ClusterIndex
  /** Called whenever the queue has accepted keys. */
  readonly onAccepted: () => void
}

/**
 * Sends the keys of one cluster: changes at once, by the live lane, and keys that are to be checked by the
 * sweep lane.
 */
export class ClusterLanes {
  readonly #options: ClusterLanesOptions
  readonly #limiter: RateLimiter
  readonly #sentKeys: SentKeys | undefined
  readonly #lanes: Lanes

  constructor(options: ClusterLanesOptions) {
    this.#options = options
    const { index, settings, client, senders, telemetry } = options
    this.#limiter = new RateLimiter({
      apiCallsPerSecond: settings.apiCallsPerSecond,
      window: settings.coalescingWindow,
      endpointCount: (key) => index.endpointCount(key),
    })
    this.#sentKeys = telemetry.recorder && createSentKeys(telemetry.recorder)
    const rules = { live: this.#liveRules(), sweep: this.#sweepRules() }
    this.#lanes = new Lanes({ cluster: client.cluster, senders, telemetry, rules })
  }

  /** @param about the kind whose objects changed or why the keys are sent, for the recording */
  add(lane: Lane, about: string, changes: readonly Change[]): void {
    this.#sentKeys?.changed(lane, about, changes)
    this.#lanes[lane].add(changes)
  }

  /** Notes that the watch delivered a write of the Service's slices. */
  written(key: ServiceKey): void {
    this.#limiter.written(key)
    this.#sentKeys?.written(key)
    this.#lanes.live.written(key)
  }

  /** Returns the keys not yet accepted by the queue. */
  waiting(): Set<KeyText> {
    return this.#lanes.waiting()
  }

  readings(): LaneReading[] {
    return this.#lanes.readings()
  }

  /** Sends all there is, as {@link Lanes.drain} does. */
  drain(signal: AbortSignal): Promise<number> {
    return this.#lanes.drain(signal)
  }

  #liveRules(): SendRules {
    return {
      ...this.#rulesOf('live'),
      processingTime: (key) => this.#limiter.when(key),
      isSettled: (change) => this.#isSettled(change),
      alongWith: (change, pods) => this.#options.index.alongWith(change, pods, this.#options.settings),
      bucket: this.#limiter,
    }
  }

  #sweepRules(): SendRules {
    return { ...this.#rulesOf('sweep'), processingTime: () => AT_ONCE }
  }

  #rulesOf(lane: Lane): Pick<SendRules, 'messageOf' | 'traces' | 'onSent'> {
    const { telemetry, observer, onAccepted } = this.#options
    const { tracing } = telemetry
    return {
      messageOf: (change) => this.#messageOf(change, lane),
      traces: tracing && createSendTraces(tracing, lane),
      onSent: (messages) => {
        onAccepted()
        this.#sentKeys?.sent(lane, messages)
        observer.onSent?.(messages.length)
      },
    }
  }

  /**
   * Reports whether the slices already show the change. In shadow mode they never do, as they may be of any
   * manager.
   */
  #isSettled(change: Change): boolean {
    const { settings, index, observer } = this.#options
    if (settings.shadow || !index.isPublished(change)) return false
    this.#sentKeys?.settled('live', change)
    observer.onSettled?.(change)
    return true
  }

  /**
   * Makes the message of a change. In shadow mode it always requests a full sync, as slices may be of any
   * manager.
   * A message of a sweep has no versions, as the relay's cache may be wrong: everything is read. It may stand
   * behind thousands of others in a queue of its own, and so says nothing of how long a sync of the live lane
   * takes.
   */
  #messageOf({ pods, ...change }: Change, lane: Lane): KeyMessage {
    const { client, index, settings } = this.#options
    // Slices of other clusters are not watched here.
    if (lane === 'live' && change.cluster === client.cluster) this.#limiter.sent(change)
    const hints = index.hints({ ...change, ...(pods && !settings.shadow && { pods }) }, settings)
    const message = { ...change, ...hints }
    return lane === 'sweep' ? withoutVersions(message) : { ...message, history: index.history.id }
  }
}
