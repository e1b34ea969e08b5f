import { isIPv6 } from 'node:net'
import { Registry } from 'prom-client'
import { createHealthServer, type Probes } from '../../../functions/relay/index.ts'
import { CircuitOpenError } from '../../../shared/kubernetes/index.ts'
import { delayOf, PersistentConflictError } from '../../../shared/reconciler/index.ts'
import { createRelayMetrics } from '../../../shared/telemetry/index.ts'
import { LatestByKey } from '../latest-by-key.ts'
import type { LocalObserver } from '../observer.ts'
import type { Queues } from '../queues.ts'
import type { StatusDocument } from '../status/document.ts'
import { createClusterCallsMetrics } from './cluster-calls-metrics.ts'
import { createFleetMetrics, DELAY_BUCKETS } from './fleet-metrics.ts'
import { createGuardMetrics } from './guard-metrics.ts'
import { metricsOf } from './metrics-of.ts'
import { createQueueMetrics } from './queue-metrics.ts'
import { createShadowMetrics } from './shadow-metrics.ts'
import { createSliceMetrics } from './slice-metrics.ts'

export type Metrics = ReturnType<typeof createMetrics>

const STARTING: Probes = {
  live: { ok: true, reason: 'ok' },
  ready: { ok: false, reason: 'not started yet' },
}

/** Metrics of keys, by cluster: how late their slices are, which fail, and what the full audit does. */
function createKeyMetrics(registry: Registry) {
  const { counter, histogram } = metricsOf(registry)
  return {
    delays: histogram(
      'sliceflow_event_to_applied_seconds',
      'From the change of an object, which Kubernetes gives in whole seconds, to the slices written',
      { buckets: DELAY_BUCKETS },
    ),
    syncs: counter(
      'sliceflow_syncs_total',
      'Keys brought up to date, by what was read: a part of the Service (part), or all of it (whole) and why',
      ['scope', 'fullSyncReason'],
    ),
    failures: counter(
      'sliceflow_failed_keys_total',
      'Keys that could not be brought up to date; each went back to the queue',
      ['cluster'],
    ),
    sent: counter('sliceflow_audit_keys_total', 'Keys that the full audit sent in their turn', ['cluster']),
    audited: counter('sliceflow_audit_syncs_total', 'Keys of the full audit that were reconciled', [
      'cluster',
    ]),
    findings: counter(
      'sliceflow_audit_findings_total',
      'Number of keys for which the audit had to write, as the relay had missed a change; should be 0',
      ['cluster'],
    ),
    lost: counter('sliceflow_lost_records_total', 'Records of a recording that could not be written'),
  }
}

/**
 * Makes metrics, and the server that serves them: `/metrics`, `/status`, `/healthz` and `/readyz`.
 * @param status what `/status` says; default: there is none
 * @param maxAgeMs see LatestByKey
 */
export function createMetrics(status?: () => StatusDocument, maxAgeMs?: number) {
  const registry = new Registry()
  const latest = <Value>() => new LatestByKey<Value>(maxAgeMs)
  const metrics = createSliceMetrics(registry, latest)
  const calls = createClusterCallsMetrics(registry)
  const guards = createGuardMetrics(registry, latest)
  const keys = createKeyMetrics(registry)
  const fleet = createFleetMetrics(registry, latest)
  let queues: Queues | undefined
  createQueueMetrics(registry, () => queues)
  let health = (): Probes => STARTING
  const documents = new Map<string, () => StatusDocument>()
  if (status !== undefined) documents.set('/status', status)
  const server = createHealthServer({ registry, health: () => health(), documents })
  return {
    /** All of them, for those who show them otherwise. */
    registry,
    observer: {
      onReconciled: (outcome) => {
        const { key, planned, guarded, fullSyncReason, ...written } = outcome
        const scope = fullSyncReason === undefined ? 'part' : 'whole'
        keys.syncs.inc({ scope, fullSyncReason: fullSyncReason ?? '' })
        const { audit, cluster } = key
        const seconds = delayOf(outcome, Date.now())
        keys.failures.inc({ cluster }, 0)
        if (seconds !== undefined) keys.delays.observe(seconds)
        if (audit) {
          keys.audited.inc({ cluster })
          keys.findings.inc({ cluster }, outcome.isFinding ? 1 : 0)
        }
        fleet(outcome)
        metrics.synced(key, written, planned)
        guards.reconciled(key, guarded)
      },
      onFailed: (key, error) => {
        // Not tried: the cluster's circuit breaker reports it.
        if (error instanceof CircuitOpenError) return
        metrics.failed(error instanceof PersistentConflictError ? 'stale' : 'error')
        guards.failed(key, error)
        keys.failures.inc({ cluster: key.cluster })
      },
      onCompared: createShadowMetrics(registry, latest),
      onDeadLetter: ({ failureClass }) => calls.deadLetter(failureClass),
      onLeft: ({ cluster }) => calls.left(cluster),
      onAudit: (cluster, count) => keys.sent.inc({ cluster }, count),
      onClusters: (read) => calls.readFrom(read),
    } satisfies LocalObserver,
    /** Metrics that the relay itself feeds. */
    relay: createRelayMetrics(registry),
    lostRecords: (records: number): void => keys.lost.inc(records),
    /** Makes the metrics say from now on what waits in these queues. */
    setQueues(open: Queues): void {
      queues = open
    },
    /** Makes `/healthz` and `/readyz` answer with this; before, the relay is alive and not ready. */
    setHealth(read: () => Probes): void {
      health = read
    },
    /**
     * Rejects with the system's error where the port is taken, or the address is not one of this machine.
     * @param port 0 picks one
     * @param address an IP address
     */
    async listen(port: number, address = '127.0.0.1'): Promise<{ readonly url: string }> {
      const host = isIPv6(address) ? `[${address}]` : address
      return { url: `http://${host}:${await server.listen(port, address)}` }
    },
    stop: (): Promise<void> => server.stop(),
  }
}
