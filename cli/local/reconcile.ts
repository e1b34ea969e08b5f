import type { Telemetry } from '../../functions/relay/index.ts'
import { type ClusterSet, clusterSetOf } from '../../shared/cluster-sets/index.ts'
import { createFleetReconciler } from '../../shared/fleet/index.ts'
import type { ApiClient } from '../../shared/kubernetes/index.ts'
import type { Reconcile } from '../../shared/queue/consumer/index.ts'
import {
  createReconciler,
  type ReconcileOutcome,
  UnknownClusterError,
} from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { createReconcileTraces } from '../../shared/tracing/index.ts'
import type { LocalObserver } from './observer.ts'

interface LocalReconcileOptions {
  readonly settings: Settings
  readonly sets: readonly ClusterSet[]
  readonly telemetry: Telemetry
  readonly observer: LocalObserver
}

/**
 * Creates the function that is called with each key. Keys of cluster sets go to their reconciler, all others
 * to the reconciler of Services.
 * @param clients by the cluster's name
 */
export function createLocalReconcile(
  clients: ReadonlyMap<string, ApiClient>,
  { settings, sets, telemetry: { logger, recorder, tracing }, observer }: LocalReconcileOptions,
): Reconcile {
  const traces = tracing && createReconcileTraces(async () => tracing)
  const common = {
    clientOf,
    settings,
    logger,
    onReconciled(outcome: ReconcileOutcome) {
      observer.onReconciled?.(outcome)
      traces?.reconciled(outcome)
    },
    onFailed: observer.onFailed?.bind(observer),
    onCompared: observer.onCompared?.bind(observer),
  }
  const services = createReconciler({ ...common, recorder })
  const fleet = createFleetReconciler({ ...common, sets: () => sets })
  const reconcile: Reconcile = (key, context) =>
    (clusterSetOf(key) === undefined ? services : fleet)(key, context)

  /** @throws UnknownClusterError */
  function clientOf(cluster: string): ApiClient {
    const client = clients.get(cluster)
    if (client !== undefined) return traces?.client(client) ?? client
    throw UnknownClusterError.among(clients.keys(), cluster)
  }

  return traces?.reconcile(reconcile) ?? reconcile
}
