import { type KeyText, keyText } from '../../changes/index.ts'
import type { ApiClient } from '../../kubernetes/index.ts'
import type { Reconcile } from '../../queue/consumer/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { SingleFlight } from '../../values/index.ts'
import { readableClusters } from '../read/readable-cluster.ts'
import { RecentSyncs } from '../recently-synced.ts'
import type { WallClock } from '../wall-clock.ts'
import { readOnlyClient } from './read-only-client.ts'
import { type Compared, createShadowReport } from './shadow-report.ts'
import {
  createShadowSync,
  differencesOf,
  type ShadowSync,
  type ShadowSyncOptions,
  type VersionedDifference,
} from './shadow-sync.ts'

interface ShadowOptions extends ComparingOptions {
  /** The client of a cluster by its name. @throws UnknownClusterError */
  readonly clientOf: (cluster: string) => ApiClient
  readonly settings: ShadowSyncOptions['settings']
}

interface ComparingOptions {
  readonly logger: Log
  readonly clock: WallClock
  /** Called with every comparison. */
  readonly onCompared?: ((compared: Compared) => void) | undefined
  /** Called with every key that could not be compared, and why; the key goes back to the queue. */
  readonly onFailed?: ((key: KeyMessage, error: unknown) => void) | undefined
}

/** Milliseconds between syncs: the other controller, with its default API budget, is a moment behind. */
const SYNC_AGAIN_MS = 5_000
/** A Service with other differences at each of these syncs is changing; its next change syncs it. */
const SYNCS = 4

/**
 * Creates what runs in place of a reconciler. It compares each key's Service with what the cluster has,
 * reports what differs, and writes nothing; the clients that it uses cannot.
 */
export function createShadowReconciler({ clientOf, settings, ...options }: ShadowOptions): Reconcile {
  const clusterOf = readableClusters(clientOf, options.clock.now, readOnlyClient)
  return createComparing((key, signal) => createShadowSync({ clusterOf, key, settings, signal }), options)
}

/**
 * Compares keys instead of reconciling them. A difference counts if a later sync finds it again and none of
 * what it follows from has changed meanwhile.
 * @param syncOf makes the sync of a key; it may write nothing
 */
export function createComparing(
  syncOf: (key: KeyMessage, signal: AbortSignal) => () => Promise<ShadowSync>,
  { logger, clock, onCompared, onFailed }: ComparingOptions,
): Reconcile {
  const runs = new SingleFlight<KeyText, undefined>(() => undefined)
  const syncs = new RecentSyncs<KeyText>(clock.now)
  const report = createShadowReport({ logger, onCompared })

  async function compare(key: KeyMessage, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const sync = syncOf(key, signal)
    let began = clock.now()
    let inputs = await sync()
    for (let count = 1; count < SYNCS && hasDifferences(inputs); count++) {
      await clock.pause(SYNC_AGAIN_MS, signal)
      began = clock.now()
      const next = await sync()
      const persistent = persistentDifferences(inputs, next)
      if (persistent.length > 0) {
        syncs.remember(keyText(key), { began })
        return report(key, { kind: 'compared', differences: persistent })
      }
      inputs = next
    }
    syncs.remember(keyText(key), { began })
    if (!hasDifferences(inputs)) report(key, inputs)
  }

  return async (key, { signal, sentTimestamp, receiveCount }) => {
    if (syncs.cover(keyText(key), { sentTimestamp, receiveCount })) return
    try {
      await runs.run(keyText(key), undefined, () => compare(key, signal))
    } catch (error) {
      onFailed?.(key, error)
      throw error
    }
  }
}

const hasDifferences = (sync: ShadowSync): boolean => differencesOf(sync).length > 0

function persistentDifferences(before: ShadowSync, after: ShadowSync): VersionedDifference[] {
  const known = new Set(differencesOf(before).map(textOf))
  return differencesOf(after).filter((difference) => known.has(textOf(difference)))
}

const textOf = ({ kind, addressType, endpoint, expected, actual, versions }: VersionedDifference): string =>
  JSON.stringify([kind, addressType, endpoint, expected, actual, versions])
