import type { Change, KeyText, ServiceKey } from '../../shared/changes/index.ts'
import { type KeyMessage, LANES, type Lane, type QueueSender } from '../../shared/queue/index.ts'
import type { LaneReading, RelayMetrics } from '../../shared/telemetry/index.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'

export interface LaneOutboxesOptions extends Pick<OutboxOptions, 'logger'> {
  /** Makes the message of a change as it is handed to the sender. */
  readonly messageOf: (change: Change, lane: Lane) => KeyMessage
  /** Stands for the keys' cluster in metrics. */
  readonly cluster: string
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly metrics: RelayMetrics
  /** Options that differ between the lanes. */
  readonly rules: Readonly<Record<Lane, Pick<OutboxOptions, 'delayOf' | 'isSettled' | 'pace' | 'traces'>>>
  /** Called with what the queue has accepted. */
  readonly onSent: (lane: Lane, messages: readonly KeyMessage[]) => void
}

/** The outboxes of all lanes, with what is counted of them. */
export interface LaneOutboxes {
  add(lane: Lane, changes: readonly Change[]): void
  /** Notes that the Service's slices were seen written: its key need not rest for that any longer. */
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

export function createLaneOutboxes(options: LaneOutboxesOptions): LaneOutboxes {
  const { cluster, senders, metrics, rules, messageOf, onSent, ...common } = options
  const outboxes: Readonly<Record<Lane, Outbox>> = { live: open('live'), sweep: open('sweep') }
  // Told as 0 from the start: a counter that begins with its first failure has not increased.
  for (const lane of LANES) metrics.count('keys_rejected', { cluster, lane }, 0)

  function open(lane: Lane): Outbox {
    return createOutbox({
      ...common,
      ...rules[lane],
      messageOf: (change) => messageOf(change, lane),
      sender: senders[lane],
      onSent(messages) {
        metrics.count('keys_sent', { cluster, lane }, messages.length)
        onSent(lane, messages)
      },
      onRejected: () => metrics.count('keys_rejected', { cluster, lane }),
    })
  }

  return {
    add: (lane, changes) => outboxes[lane].add(changes),
    written: (key) => outboxes.live.written(key),
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
