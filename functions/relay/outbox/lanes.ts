import type { KeyText } from '../../../shared/changes/index.ts'
import { LANES, type Lane, type QueueSender } from '../../../shared/queue/index.ts'
import type { LaneReading } from '../../../shared/telemetry/index.ts'
import type { RelayTelemetry } from '../relay-options.ts'
import { Outbox, type SendRules } from './outbox.ts'

export interface LanesOptions {
  /** Stands for the keys' cluster in metrics. */
  readonly cluster: string
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly telemetry: RelayTelemetry
  readonly rules: Readonly<Record<Lane, SendRules>>
}

/** The outboxes of all lanes, with what is counted of them. */
export class Lanes {
  readonly live: Outbox
  readonly sweep: Outbox

  constructor(options: LanesOptions) {
    const { cluster, telemetry } = options
    // As 0 from the start: a counter that begins with its first failure has not increased.
    for (const lane of LANES) telemetry.metrics.count('keys_rejected', { cluster, lane }, 0)
    this.live = openOutbox('live', options)
    this.sweep = openOutbox('sweep', options)
  }

  /** Returns the keys not yet accepted by the queue. */
  waiting(): Set<KeyText> {
    return this.live.keys().union(this.sweep.keys())
  }

  readings(): LaneReading[] {
    return LANES.map((lane) => ({
      lane,
      pending: this[lane].size,
      oldestSeconds: this[lane].oldestMs() / 1000,
    }))
  }

  /**
   * Sends all there is, without waiting. Resolves to the number of keys that could not be sent before
   * `signal` aborted.
   */
  async drain(signal: AbortSignal): Promise<number> {
    const unsent = await Promise.all(LANES.map((lane) => this[lane].drain(signal)))
    return unsent.reduce((sum, count) => sum + count, 0)
  }
}

function openOutbox(lane: Lane, { cluster, senders, telemetry, rules }: LanesOptions): Outbox {
  const { logger, metrics } = telemetry
  const { onSent, ...others } = rules[lane]
  return new Outbox({
    sender: senders[lane],
    logger,
    rules: {
      ...others,
      onSent(messages) {
        metrics.count('keys_sent', { cluster, lane }, messages.length)
        onSent?.(messages)
      },
      onRejected: () => metrics.count('keys_rejected', { cluster, lane }),
    },
  })
}
