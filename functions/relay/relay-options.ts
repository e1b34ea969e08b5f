import { Registry } from 'prom-client'
import type {
  Change,
  CrossClusterSelectors,
  PermissionSettings,
  ServiceKey,
} from '../../shared/changes/index.ts'
import type { NextTurn } from '../../shared/kubernetes/index.ts'
import type { Recorder } from '../../shared/recording/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { createRelayMetrics, type Log, type RelayMetrics } from '../../shared/telemetry/index.ts'
import type { Tracing } from '../../shared/tracing/index.ts'

export type ClusterRelaySettings = PermissionSettings &
  Pick<
    Settings,
    | 'mode'
    | 'managedBy'
    | 'refusedAddresses'
    | 'coalescingWindow'
    | 'maxEndpointsPerSlice'
    | 'maximumEndpoints'
    | 'leftovers'
    | 'sweepInterval'
    | 'relayStandby'
    | 'standbyDelay'
    | 'apiCallsPerSecond'
  > &
  Partial<Pick<Settings, 'shadow'>>

/** Where a relay reports what it does. */
export interface Telemetry {
  readonly logger: Log
  /** Default: of a registry of its own. */
  readonly metrics?: RelayMetrics | undefined
  /** Default: nothing is recorded. */
  readonly recorder?: Recorder | undefined
  /** Default: nothing is traced. */
  readonly tracing?: Tracing | undefined
}

export interface RelayTelemetry extends Telemetry {
  readonly metrics: RelayMetrics
}

export const withMetrics = (telemetry: Telemetry): RelayTelemetry => ({
  ...telemetry,
  metrics: telemetry.metrics ?? createRelayMetrics(new Registry()),
})

/** Observes what a relay does, as it does it. */
export interface RelayObserver {
  /** Called when a cluster was listed and its keys are on their way. */
  onSynced?(cluster: string): void
  /** Called for each event of a watch, after the first lists, with its changes; often none. */
  onEvent?(changes: readonly Change[]): void
  /** Called with the number of keys that the queue has accepted. */
  onSent?(keys: number): void
  /** Called with a key whose change waited, as in a standby, until the slices showed it: none is sent. */
  onSettled?(key: ServiceKey): void
  /** Called after each sweep of a cluster with the number of keys sent. */
  onSweep?(cluster: string, keys: number): void
}

/** What the relays of all clusters share. */
export interface SharedAmongClusters {
  /** Selectors on the Pods of all clusters that are watched. */
  readonly selectors: CrossClusterSelectors
  /** Hands keys that may be wrong, as a standby finds them, to the relays of their own clusters. */
  suspect(keys: readonly ServiceKey[]): void
  /** Awaited before each piece of work that takes long: events wait for one of them, not for all. */
  readonly nextTurn: NextTurn
}
