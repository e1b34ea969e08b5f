import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { clusterSetOf } from '../../../shared/cluster-sets/index.ts'
import { LANES, type Lane } from '../../../shared/queue/index.ts'
import { type Compared, delayOf, type ReconcileOutcome } from '../../../shared/reconciler/index.ts'
import type { ContentSettings } from '../../../shared/settings/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { percentile } from '../../../shared/values/index.ts'
import { createFleetTotals, type FleetTotal } from '../metrics/fleet-metrics.ts'
import type { LocalObserver } from '../observer.ts'
import type { LaneQueue } from '../queues.ts'
import type { ClusterSetStatus, ClusterStatus, LagStatus, LaneStatus, StatusDocument } from './document.ts'
import {
  createFailureRecord,
  createGuardRecord,
  createSecondControllerRecord,
  type FailureRecord,
  type GuardRecord,
  type SecondControllerRecord,
} from './records.ts'

/** Collects the data of the status document. */
export interface StatusRecord {
  readonly observer: LocalObserver
  /** Notes that a cluster is left out, as it is followed under another name. */
  refused(cluster: string, other: string): void
  /** Adds the queues to the document from now on. */
  opened(lanes: Readonly<Record<Lane, Pick<LaneQueue, 'url' | 'deadLetterUrl'>>>): void
  document(): StatusDocument
}

/** Samples of a cluster: enough for a p99, and it is never more than this. */
const LAG_SAMPLES = 1000

interface ClusterRecord {
  readonly failed: FailureRecord
  readonly guards: GuardRecord
  readonly secondControllers: SecondControllerRecord
  sameAs?: string
  syncedAt?: number
  lastChangeAt?: number
  lastSweep?: { readonly at: number; readonly keys: number }
  lastAudit?: { readonly at: number; readonly keys: number }
  lastSyncAt?: number
  writes: number
  readonly compared: Map<KeyText, Compared['result']>
  /** Times of the first changes that no sync has answered yet. */
  readonly unanswered: Map<KeyText, number>
  readonly lags: number[]
}

/**
 * @param names of the clusters
 * @param now the clock, in milliseconds; default Date.now
 * @param settings those that are reported; default: none
 */
export function createStatusRecord(
  names: readonly string[],
  now: () => number = Date.now,
  settings?: ContentSettings,
): StatusRecord {
  const startedAt = now()
  const records = new Map(names.map((name) => [name, newRecord()]))
  let lanes: readonly LaneStatus[] | undefined
  const sets = createSetRecord(now)
  const observer: LocalObserver = {
    onSynced(cluster) {
      delete records.get(cluster)?.sameAs
      set(cluster, 'syncedAt', now())
    },
    onSweep: (cluster, keys) => set(cluster, 'lastSweep', { at: now(), keys }),
    onAudit: (cluster, keys) => set(cluster, 'lastAudit', { at: now(), keys }),
    onEvent(changes) {
      for (const change of changes) {
        set(change.cluster, 'lastChangeAt', now())
        const unanswered = records.get(change.cluster)?.unanswered
        if (unanswered?.has(keyText(change)) === false) unanswered.set(keyText(change), now())
      }
    },
    // The sync that wrote it has been counted for the change before.
    onSettled: (key) => void records.get(key.cluster)?.unanswered.delete(keyText(key)),
    onReconciled(outcome) {
      const { key, created, updated, deleted } = outcome
      sets.reconciled(outcome)
      set(key.cluster, 'lastSyncAt', now())
      const record = records.get(key.cluster)
      record?.guards.reconciled(outcome)
      record?.secondControllers.reconciled(outcome)
      if (record !== undefined) record.writes += created + updated + deleted
      const since = record?.unanswered.get(keyText(key))
      record?.unanswered.delete(keyText(key))
      if (since === undefined || created + updated + deleted === 0) return
      record?.lags.push((now() - since) / 1000)
      if ((record?.lags.length ?? 0) > LAG_SAMPLES) record?.lags.shift()
    },
    onCompared({ key, result }) {
      set(key.cluster, 'lastSyncAt', now())
      const record = records.get(key.cluster)
      record?.unanswered.delete(keyText(key))
      if (result === 'unmanaged') record?.compared.delete(keyText(key))
      else record?.compared.set(keyText(key), result)
    },
    onFailed(key, error) {
      const clusterSet = clusterSetOf(key)
      if (clusterSet !== undefined) sets.failed(clusterSet, key, error)
      const record = records.get(key.cluster)
      record?.failed.failed(error, now())
      record?.guards.failed(key, error)
    },
  }

  function set<
    Name extends 'sameAs' | 'syncedAt' | 'lastChangeAt' | 'lastSweep' | 'lastAudit' | 'lastSyncAt',
  >(cluster: string, name: Name, value: ClusterRecord[Name]): void {
    const record = records.get(cluster)
    if (record !== undefined) record[name] = value
  }

  return {
    observer,
    refused: (cluster, other) => set(cluster, 'sameAs', other),
    opened(queues) {
      lanes = LANES.map((lane) => {
        const { url, deadLetterUrl } = queues[lane]
        return { lane, queue: url, ...(deadLetterUrl !== undefined && { deadLetters: deadLetterUrl }) }
      })
    },
    document() {
      const clusterSets = sets.read()
      return {
        version: 1,
        startedAt: timeText(startedAt),
        clusters: [...records].map(([name, record]) => statusOf(name, record, now())),
        ...(settings && { settings }),
        ...(clusterSets.length > 0 && { clusterSets }),
        ...(lanes && { lanes }),
      }
    },
  }
}

/** Collects the status of cluster sets. */
interface SetRecord {
  reconciled(outcome: ReconcileOutcome): void
  failed(name: string, key: ServiceKey, error: unknown): void
  read(): readonly ClusterSetStatus[]
}

function createSetRecord(now: () => number): SetRecord {
  const totals = createFleetTotals()
  const delays = new Map<string, number[]>()
  const failures = new Map<string, FailureRecord>()
  const guards = new Map<string, GuardRecord>()
  const guardsOf = (name: string): GuardRecord => {
    const record = guards.get(name) ?? createGuardRecord()
    guards.set(name, record)
    return record
  }
  return {
    reconciled(outcome) {
      totals.reconciled(outcome)
      const [name, seconds] = [clusterSetOf(outcome.key), delayOf(outcome, now())]
      if (name !== undefined) guardsOf(name).reconciled(outcome)
      if (name === undefined || seconds === undefined) return
      delays.set(name, [...(delays.get(name) ?? []).slice(1 - LAG_SAMPLES), seconds])
    },
    failed(name, key, error) {
      guardsOf(name).failed(key, error)
      const record = failures.get(name) ?? createFailureRecord()
      failures.set(name, record)
      record.failed(error, now())
    },
    read() {
      const known = totals.read()
      const unknown = [...failures.keys()].filter((name) => !known.some((total) => total.name === name))
      return [...known, ...unknown.sort().map(emptyTotal)].map((total) => {
        const lag = lagOf(delays.get(total.name) ?? [])
        const { failures: count = 0, ...failed } = failures.get(total.name)?.status() ?? {}
        return {
          ...total,
          failures: count,
          ...failed,
          ...guards.get(total.name)?.status(),
          ...(lag && { lag }),
        }
      })
    },
  }
}

/** Makes the content of a set of which no Service could be reconciled yet. */
const emptyTotal = (name: string): FleetTotal => ({
  name,
  services: 0,
  exports: 0,
  imports: 0,
  conflicts: 0,
  blocked: 0,
  leftOut: 0,
})

const newRecord = (): ClusterRecord => ({
  failed: createFailureRecord(),
  guards: createGuardRecord(),
  secondControllers: createSecondControllerRecord(),
  writes: 0,
  compared: new Map(),
  unanswered: new Map(),
  lags: [],
})

function statusOf(name: string, record: ClusterRecord, now: number): ClusterStatus {
  const { syncedAt, lastChangeAt, lastSweep, lastAudit, lastSyncAt } = record
  const { failed, unanswered, writes, compared } = record
  const secondControllers = record.secondControllers.status(now)
  const lag = lagOf(record.lags)
  return {
    name,
    ...(record.sameAs !== undefined && { sameAs: record.sameAs }),
    ...(syncedAt !== undefined && { syncedAt: timeText(syncedAt) }),
    ...(lastChangeAt !== undefined && { lastChangeAt: timeText(lastChangeAt) }),
    ...(lastSweep && { lastSweep: { ...lastSweep, at: timeText(lastSweep.at) } }),
    ...(lastAudit && { lastAudit: { ...lastAudit, at: timeText(lastAudit.at) } }),
    ...(lastSyncAt !== undefined && { lastSyncAt: timeText(lastSyncAt) }),
    ...failed.status(),
    ...record.guards.status(),
    waiting: unanswered.size,
    writes,
    ...(compared.size > 0 && { shadow: shadowTotal([...compared.values()]) }),
    ...(secondControllers.length > 0 && { secondControllers }),
    ...(lag && { lag }),
  }
}

function shadowTotal(results: readonly Compared['result'][]): ClusterStatus['shadow'] {
  const count = (wanted: Compared['result']): number => results.filter((result) => result === wanted).length
  return { same: count('same'), different: count('different'), invalid: count('invalid') }
}

function lagOf(lags: readonly number[]): LagStatus | undefined {
  const sorted = lags.toSorted((a, b) => a - b)
  const at = (share: number): number => percentile(sorted, share) ?? 0
  return sorted.length === 0
    ? undefined
    : { samples: sorted.length, p50: at(0.5), p99: at(0.99), maximum: at(1) }
}

const timeText = (ms: number): string => new Date(ms).toISOString()

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
