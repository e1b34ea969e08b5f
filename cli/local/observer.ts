import type { RelayObserver } from '../../functions/relay/index.ts'
import type { ServiceKey } from '../../shared/changes/index.ts'
import type { DeadLetter } from '../../shared/queue/index.ts'
import type { ClusterCallsReading, Compared, ReconcileOutcome } from '../../shared/reconciler/index.ts'
import type { BatchReport } from './event-source/mapping.ts'

/** Callbacks for events on the way, for those who want to show or count them. */
export interface LocalObserver extends RelayObserver {
  onBatch?(report: BatchReport): void
  onReconciled?(outcome: ReconcileOutcome): void
  onFailed?(key: ServiceKey, error: unknown): void
  /** Called in shadow mode when a Service was compared with what its cluster has. */
  onCompared?(compared: Compared): void
  /** Called when the audit has sent keys of the cluster to the sweep lane, with their number. */
  onAudit?(cluster: string, keys: number): void
  /** Called when the function has moved a message to the dead letters. */
  onDeadLetter?(letter: DeadLetter): void
  /** Called when the function has left a key, as a cluster has not answered for long. */
  onLeft?(key: ServiceKey): void
  /** Called once at the start with a function that reads how the calls to each cluster are. */
  onClusters?(read: () => readonly ClusterCallsReading[]): void
}

/** Makes an observer that calls several others. */
export function notifyAll(...observers: readonly LocalObserver[]): Required<LocalObserver> {
  const all = (call: (one: LocalObserver) => void): void => {
    for (const one of observers) call(one)
  }
  return {
    onEvent: (changes) => all((one) => one.onEvent?.(changes)),
    onSent: (keys) => all((one) => one.onSent?.(keys)),
    onSettled: (key) => all((one) => one.onSettled?.(key)),
    onBatch: (report) => all((one) => one.onBatch?.(report)),
    onReconciled: (outcome) => all((one) => one.onReconciled?.(outcome)),
    onFailed: (key, error) => all((one) => one.onFailed?.(key, error)),
    onCompared: (compared) => all((one) => one.onCompared?.(compared)),
    onSynced: (cluster) => all((one) => one.onSynced?.(cluster)),
    onSweep: (cluster, keys) => all((one) => one.onSweep?.(cluster, keys)),
    onAudit: (cluster, keys) => all((one) => one.onAudit?.(cluster, keys)),
    onDeadLetter: (letter) => all((one) => one.onDeadLetter?.(letter)),
    onLeft: (key) => all((one) => one.onLeft?.(key)),
    onClusters: (read) => all((one) => one.onClusters?.(read)),
  }
}
