import {
  type Change,
  type ClusterIndex,
  fixedTime,
  RateLimiter,
  type ServiceKey,
  writerName,
} from '../../../shared/changes/index.ts'
import type { ApiClient } from '../../../shared/kubernetes/index.ts'
import { type KeyMessage, type Lane, type QueueSender, withoutVersions } from '../../../shared/queue/index.ts'
import { contentDigest } from '../../../shared/settings/index.ts'
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

interface Parts extends ClusterLanesOptions {
  readonly limiter: RateLimiter
  /** Absent: nothing is recorded. */
  readonly sentKeys: SentKeys | undefined
  readonly writer: string
}

/** Sends the keys of one cluster: changes by the live lane, and keys to be checked by the sweep lane. */
export class ClusterLanes extends Lanes {
  readonly #parts: Parts

  constructor(options: ClusterLanesOptions) {
    const { index, settings, client, senders, telemetry } = options
    const limiter = new RateLimiter({
      apiCallsPerSecond: settings.apiCallsPerSecond,
      window: settings.coalescingWindow,
      endpointCount: (key) => index.endpointCount(key),
    })
    const sentKeys = telemetry.recorder && createSentKeys(telemetry.recorder)
    const parts = { ...options, limiter, sentKeys, writer: writerName(contentDigest(settings)) }
    const rules = { live: liveRules(parts), sweep: sweepRules(parts) }
    super({ cluster: client.cluster, senders, telemetry, rules })
    this.#parts = parts
  }

  /** @param about the kind whose objects changed or why the keys are sent, for the recording */
  add(lane: Lane, about: string, changes: readonly Change[]): void {
    this.#parts.sentKeys?.changed(lane, about, changes)
    this[lane].add(changes)
  }

  /** Notes that the watch delivered a write of the Service's slices. */
  written(key: ServiceKey): void {
    this.#parts.limiter.written(key)
    this.#parts.sentKeys?.written(key)
    this.live.written(key)
  }
}

const liveRules = (parts: Parts): SendRules => ({
  ...rulesOf(parts, 'live'),
  processingTime: (key) => parts.limiter.when(key),
  isSettled: (change) => isSettled(change, parts),
  alongWith: (change, pods) => parts.index.alongWith(change, pods, parts.settings),
  bucket: parts.limiter,
})

const sweepRules = (parts: Parts): SendRules => ({
  ...rulesOf(parts, 'sweep'),
  processingTime: () => AT_ONCE,
})

function rulesOf(parts: Parts, lane: Lane): Pick<SendRules, 'messageOf' | 'traces' | 'onSent'> {
  const { telemetry, observer, sentKeys, onAccepted } = parts
  return {
    messageOf: (change) => messageOf(change, lane, parts),
    traces: telemetry.tracing && createSendTraces(telemetry.tracing, lane),
    onSent(messages) {
      onAccepted()
      sentKeys?.sent(lane, messages)
      observer.onSent?.(messages.length)
    },
  }
}

/** Reports whether the slices already show the change. Those of shadow mode may be of any manager. */
function isSettled(change: Change, { settings, index, observer, sentKeys }: Parts): boolean {
  if (settings.shadow || !index.isPublished(change)) return false
  sentKeys?.settled('live', change)
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
function messageOf(
  { pods, ...change }: Change,
  lane: Lane,
  { client, index, settings, limiter, writer }: Parts,
): KeyMessage {
  // Slices of other clusters are not watched here.
  if (lane === 'live' && change.cluster === client.cluster) limiter.sent(change)
  const hints = index.hints({ ...change, ...(pods && !settings.shadow && { pods }) }, settings)
  const message = { ...change, ...hints, writer }
  return lane === 'sweep' ? withoutVersions(message) : { ...message, history: index.history.id }
}
