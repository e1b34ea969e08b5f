import { isIPv6 } from 'node:net'
import { Counter, Registry } from 'prom-client'
import { createFleetMetrics } from '../../../shared/fleet/index.ts'
import { CircuitOpenError } from '../../../shared/kubernetes/index.ts'
import {
  createGuardMetrics,
  createShadowMetrics,
  createSyncMetrics,
  PersistentConflictError,
} from '../../../shared/reconciler/index.ts'
import {
  createClusterCallsMetrics,
  createRelayMetrics,
  createSliceMetrics,
  type RelayMetrics,
} from '../../../shared/telemetry/index.ts'
import { createHealthServer, type Probes } from '../../relay/index.ts'
import type { LocalObserver } from '../observer.ts'
import type { Queues } from '../queues.ts'
import type { StatusDocument } from '../status/index.ts'
import { createAuditMetrics } from './audit-metrics.ts'
import { createKeyMetrics } from './key-metrics.ts'
import { createQueueMetrics } from './queue-metrics.ts'

/** Metrics, and the server that serves them: `/metrics`, `/status`, `/healthz` and `/readyz`. */
export interface Metrics {
  /** Feeds the metrics. */
  readonly observer: Pick<
    LocalObserver,
    'onReconciled' | 'onFailed' | 'onCompared' | 'onAudit' | 'onDeadLetter' | 'onLeft' | 'onClusters'
  >
  /** All of them, for those who show them otherwise. */
  readonly registry: Registry
  /** Metrics that the relay itself feeds. */
  readonly relay: RelayMetrics
  /** Counts records of a recording that could not be written. */
  lostRecords(records: number): void
  /** Makes the metrics say from now on what waits in these queues. */
  setQueues(queues: Queues): void
  /**
   * Makes `/healthz` and `/readyz` answer with this from now on; before, the relay is alive and not ready.
   */
  setHealth(health: () => Probes): void
  /**
   * Rejects with the system's error where the port is taken, or the address is not one of this machine.
   * @param port 0 picks one
   * @param address an IP address; default: 127.0.0.1
   */
  listen(port: number, address?: string): Promise<{ readonly url: string }>
  stop(): Promise<void>
}

const STARTING: Probes = {
  live: { ok: true, reason: 'ok' },
  ready: { ok: false, reason: 'not started yet' },
}

/** @param status what `/status` says; default: there is none */
export function createMetrics(status?: () => StatusDocument): Metrics {
  const registry = new Registry()
  const metrics = createSliceMetrics(registry)
  const calls = createClusterCallsMetrics(registry)
  const guards = createGuardMetrics(registry)
  const synced = createSyncMetrics(registry)
  const audit = createAuditMetrics(registry)
  const keys = createKeyMetrics(registry)
  const fleet = createFleetMetrics(registry)
  const lost = new Counter({
    name: 'sliceflow_lost_records_total',
    help: 'Records of a recording that could not be written',
    registers: [registry],
  })
  let queues: Queues | undefined
  createQueueMetrics(registry, () => queues)
  let health = (): Probes => STARTING
  const documents = new Map<string, () => StatusDocument>()
  if (status !== undefined) documents.set('/status', status)
  const server = createHealthServer({ registry, health: () => health(), documents })
  return {
    registry,
    observer: {
      onReconciled: (outcome) => {
        const { key, planned, guarded, ...written } = outcome
        synced(outcome)
        audit.reconciled(outcome)
        keys.reconciled(outcome)
        fleet(outcome)
        metrics.synced(key, written, planned)
        guards.reconciled(key, guarded)
      },
      onFailed: (key, error) => {
        // Not tried: the cluster's circuit breaker reports it.
        if (error instanceof CircuitOpenError) return
        metrics.failed(error instanceof PersistentConflictError ? 'stale' : 'error')
        guards.failed(key, error)
        keys.failed(key.cluster)
      },
      onCompared: createShadowMetrics(registry),
      onDeadLetter: ({ failureClass }) => calls.deadLetter(failureClass),
      onLeft: ({ cluster }) => calls.left(cluster),
      onAudit: audit.sent,
      onClusters: (read) => calls.readFrom(read),
    },
    relay: createRelayMetrics(registry),
    lostRecords: (records) => lost.inc(records),
    setQueues: (open) => {
      queues = open
    },
    setHealth: (read) => {
      health = read
    },
    listen: async (port, address = '127.0.0.1') => {
      const host = isIPv6(address) ? `[${address}]` : address
      return { url: `http://${host}:${await server.listen(port, address)}` }
    },
    stop: () => server.stop(),
  }
}
