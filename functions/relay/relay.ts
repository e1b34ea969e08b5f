import { setMaxListeners } from 'node:events'
import { type Change, createFleet } from '../../shared/changes/index.ts'
import type { ApiClient } from '../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { type ClusterRelayOptions, startClusterRelay } from './cluster-relay.ts'
import { createOutbox, type Outbox } from './outbox.ts'

export interface RelayOptions {
  readonly clients: readonly ApiClient[]
  readonly settings: ClusterRelayOptions['settings'] & Pick<Settings, 'coalescingWindow'>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly logger: Log
  /** Told of every object that a watch brought after the first lists, by the changes that it means; often none. */
  readonly onEvent?: (changes: readonly Change[]) => void
  /** Told when a cluster was listed and all of its keys are on their way. */
  readonly onSynced?: (client: ApiClient) => void
  /** Told how many keys the queue has accepted. */
  readonly onSent?: (keys: number) => void
}

export interface Relay {
  /** Resolves when every cluster was listed and its keys are on their way. */
  readonly synced: Promise<void>
  /** Ends the watches and sends what waits. Resolves to the number of keys not sent when `signal` aborted; the next start sends them. */
  stop(signal: AbortSignal): Promise<number>
}

/** Watches every cluster on its own: a slow or dead one holds up no other. */
export function startRelay(options: RelayOptions): Relay {
  const { clients, settings, senders, logger, onEvent, onSent, onSynced } = options
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  const outboxes: Outbox[] = []
  const fleet = createFleet()
  const outbox = (lane: Lane, windowMs: number): Outbox => {
    const made = createOutbox({ sender: senders[lane], logger, windowMs, onSent })
    outboxes.push(made)
    return made
  }
  const relays = clients.map((client) => {
    const relay = startClusterRelay({
      client,
      fleet,
      settings,
      outboxes: { live: outbox('live', settings.coalescingWindow * 1000), sweep: outbox('sweep', 0) },
      logger,
      signal: ending.signal,
      onEvent,
    })
    void relay.synced.then(() => onSynced?.(client))
    return relay
  })
  return {
    synced: Promise.all(relays.map((relay) => relay.synced)).then(() => undefined),
    async stop(signal) {
      ending.abort()
      await Promise.all(relays.map((relay) => relay.ended))
      const unsent = await Promise.all(outboxes.map((box) => box.drain(signal)))
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}
