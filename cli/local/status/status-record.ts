import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { clusterSetOf } from '../../../shared/cluster-sets/index.ts'
import { LANES, type Lane } from '../../../shared/queue/index.ts'
import { type Compared, delayOf, type ReconcileOutcome } from '../../../shared/reconciler/index.ts'
import type { ContentSettings } from '../../../shared/settings/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { percentile } from '../../../shared/values/index.ts'
import { LatestByKey, type NewLatest } from '../latest-by-key.ts'
import { createFleetTotals, totalOf } from '../metrics/fleet-metrics.ts'
import type { LocalObserver } from '../observer.ts'
import type { LaneQueue } from '../queues.ts'
import type { ClusterSetStatus, ClusterStatus, LagStatus, LaneStatus, StatusDocument } from './document.ts'
import { createFailureRecord, createGuardRecord, createSecondControllerRecord } from './records.ts'

/** Collects the data of the status document. */
export interface StatusRecord {
  readonly observer: LocalObserver
  /** Notes that a cluster is left out, as it is followed under another name. */
  refused(cluster: string, other: string): void
  /** Adds the queues to the document from now on. */
  opened(lanes: Readonly<Record<Lane, Pick<LaneQueue, 'url' | 'deadLetterUrl'>>>): void
  /** Reports from now on which clusters cannot be reached. */
  reachedBy(relay: { health(): { readonly unreachable: readonly string[] } }): void
  document(): StatusDocument
}

/** Samples of a cluster: enough for a p99, and it is never more than this. */
const LAG_SAMPLES = 1000

/** What happened last in a cluster. */
type Latest = Pick<
  ClusterStatus,
  'sameAs' | 'syncedAt' | 'lastChangeAt' | 'lastSweep' | 'lastAudit' | 'lastSyncAt'
>

interface ClusterRecord extends ReturnType<typeof newOutcomes> {
  readonly secondControllers: ReturnType<typeof createSecondControllerRecord>
  readonly latest: Partial<Latest>
  writes: number
  readonly compared: LatestByKey<Compared['result']>
  /** Times of the first changes that no sync has answered yet. */
  readonly unanswered: Map<KeyText, number>
}

/**
 * @param names of the clusters
 * @param now the clock, in milliseconds; default Date.now
 * @param settings those that are reported; default: none
 * @param maxAgeMs see LatestByKey
 */
export function createStatusRecord(
  names: readonly string[],
  now: () => number = Date.now,
  settings?: ContentSettings,
  maxAgeMs?: number,
): StatusRecord {
  const startedAt = now()
  const latest = <Value>() => new LatestByKey<Value>(maxAgeMs, now)
  const records = new Map(names.map((name) => [name, newRecord(latest)]))
  let lanes: readonly LaneStatus[] | undefined
  let unreachable = (): readonly string[] => []
  const sets = createSetRecord(now, latest)
  const observer: LocalObserver = {
    onSynced: (cluster) => note(cluster, { syncedAt: time(), sameAs: undefined }),
    onSweep: (cluster, keys) => note(cluster, { lastSweep: { at: time(), keys } }),
    onAudit: (cluster, keys) => note(cluster, { lastAudit: { at: time(), keys } }),
    onEvent(changes) {
      for (const change of changes) {
        note(change.cluster, { lastChangeAt: time() })
        const unanswered = records.get(change.cluster)?.unanswered
        if (unanswered?.has(keyText(change)) === false) unanswered.set(keyText(change), now())
      }
    },
    // The sync that wrote it has been counted for the change before.
    onSettled: (key) => void records.get(key.cluster)?.unanswered.delete(keyText(key)),
    onReconciled(outcome) {
      const { key, created, updated, deleted } = outcome
      sets.reconciled(outcome)
      note(key.cluster, { lastSyncAt: time() })
      const record = records.get(key.cluster)
      record?.guards.reconciled(outcome)
      record?.secondControllers.reconciled(outcome)
      if (record !== undefined) record.writes += created + updated + deleted
      const since = record?.unanswered.get(keyText(key))
      record?.unanswered.delete(keyText(key))
      if (record !== undefined && since !== undefined && created + updated + deleted > 0)
        addLag(record.lags, (now() - since) / 1000)
    },
    onCompared({ key, result }) {
      note(key.cluster, { lastSyncAt: time() })
      const record = records.get(key.cluster)
      record?.unanswered.delete(keyText(key))
      record?.compared.set(key, result === 'unmanaged' ? undefined : result)
    },
    onFailed(key, error) {
      const clusterSet = clusterSetOf(key)
      if (clusterSet !== undefined) sets.failed(clusterSet, key, error)
      const record = records.get(key.cluster)
      record?.failed.failed(error, now())
      record?.guards.failed(key, error)
    },
  }

  function note(cluster: string, happened: Partial<Latest>): void {
    Object.assign(records.get(cluster)?.latest ?? {}, happened)
  }

  function time(): string {
    return new Date(now()).toISOString()
  }

  return {
    observer,
    refused: (cluster, sameAs) => note(cluster, { sameAs }),
    opened(queues) {
      lanes = LANES.map((lane) => {
        const { url, deadLetterUrl } = queues[lane]
        return { lane, queue: url, deadLetters: deadLetterUrl }
      })
    },
    reachedBy(relay) {
      unreachable = () => relay.health().unreachable
    },
    document() {
      const clusterSets = sets.read()
      const out = unreachable()
      return {
        version: 1,
        startedAt: new Date(startedAt).toISOString(),
        clusters: [...records].map(([name, record]) => ({
          ...statusOf(name, record, now()),
          ...(out.includes(name) && { unreachable: true }),
        })),
        settings,
        ...(clusterSets.length > 0 && { clusterSets }),
        ...(lanes && { lanes }),
      }
    },
  }
}

function createSetRecord(now: () => number, latest: NewLatest) {
  const totals = createFleetTotals(latest)
  const records = new Map<string, ReturnType<typeof newOutcomes>>()
  const recordOf = (name: string) => {
    const record = records.get(name) ?? newOutcomes(latest)
    records.set(name, record)
    return record
  }
  return {
    reconciled(outcome: ReconcileOutcome): void {
      totals.reconciled(outcome)
      const name = clusterSetOf(outcome.key)
      if (name === undefined) return
      const { guards, lags } = recordOf(name)
      guards.reconciled(outcome)
      const seconds = delayOf(outcome, now())
      if (seconds !== undefined) addLag(lags, seconds)
    },
    failed(name: string, key: ServiceKey, error: unknown): void {
      const { guards, failed } = recordOf(name)
      guards.failed(key, error)
      failed.failed(error, now())
    },
    read(): readonly ClusterSetStatus[] {
      const known = totals.read()
      const others = new Set(records.keys()).difference(new Set(known.map(({ name }) => name)))
      // Of these no Service could be reconciled yet.
      const empty = [...others].sort().map((name) => totalOf(name, []))
      return [...known, ...empty].map((total) => {
        const { failed, guards, lags } = recordOf(total.name)
        return { ...total, ...failed.status(), ...guards.status(), lag: lagOf(lags) }
      })
    },
  }
}

/** What is remembered of a cluster and of a cluster set. */
const newOutcomes = (latest: NewLatest) => ({
  failed: createFailureRecord(),
  guards: createGuardRecord(latest),
  /** Seconds, the latest last. */
  lags: [] as number[],
})

const newRecord = (latest: NewLatest): ClusterRecord => ({
  ...newOutcomes(latest),
  secondControllers: createSecondControllerRecord(),
  latest: {},
  writes: 0,
  compared: latest(),
  unanswered: new Map(),
})

function statusOf(name: string, record: ClusterRecord, now: number): ClusterStatus {
  const { latest, unanswered, writes } = record
  const compared = record.compared.values()
  const secondControllers = record.secondControllers.status(now)
  return {
    name,
    ...latest,
    ...record.failed.status(),
    ...record.guards.status(),
    waiting: unanswered.size,
    writes,
    ...(compared.length > 0 && { shadow: shadowTotal(compared) }),
    ...(secondControllers.length > 0 && { secondControllers }),
    lag: lagOf(record.lags),
  }
}

function shadowTotal(results: readonly Compared['result'][]): ClusterStatus['shadow'] {
  const count = (wanted: Compared['result']): number => results.filter((result) => result === wanted).length
  return { same: count('same'), different: count('different'), invalid: count('invalid') }
}

function addLag(lags: number[], seconds: number): void {
  lags.push(seconds)
  if (lags.length > LAG_SAMPLES) lags.shift()
}

function lagOf(lags: readonly number[]): LagStatus | undefined {
  const sorted = lags.toSorted((a, b) => a - b)
  const at = (share: number): number => percentile(sorted, share) ?? 0
  return sorted.length === 0
    ? undefined
    : { samples: sorted.length, p50: at(0.5), p99: at(0.99), maximum: at(1) }
}

interface ShadowTotalOptions {
  readonly status: () => StatusDocument
  readonly logger: Log
}

/** Often enough to follow a rollout, and no burden for a log, in milliseconds. */
const INTERVAL_MS = 10_000

/**
 * Reports, in shadow mode, how many Services it would publish as they are and how many not, whenever that has
 * changed, and once more at the end.
 * @returns ends it
 */
export function startShadowTotal({ status, logger }: ShadowTotalOptions): () => void {
  let reported = ''
  function report(): void {
    const total = { same: 0, different: 0, invalid: 0 }
    for (const { shadow } of status().clusters) {
      total.same += shadow?.same ?? 0
      total.different += shadow?.different ?? 0
      total.invalid += shadow?.invalid ?? 0
    }
    const services = total.same + total.different + total.invalid
    const text = JSON.stringify(total)
    if (services === 0 || text === reported) return
    reported = text
    logger.info({ services, ...total }, 'shadow: Services compared so far, by what would be published')
  }
  const timer = setInterval(report, INTERVAL_MS)
  return () => {
    clearInterval(timer)
    report()
  }
}
