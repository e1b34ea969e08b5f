import type { ClusterSet } from '../cluster-sets/index.ts'
import type { ApiClient } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { Compared, Guards, GuardsSettings, ReconcileOutcome, WallClock } from '../reconciler/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Log } from '../telemetry/index.ts'
import type { FleetRead } from './read/read-fleet.ts'

export type FleetSettings = GuardsSettings & Pick<Settings, 'maxEndpointsPerSlice' | 'packing'>

/** Values that all steps of one sync of a Service of a cluster set share. */
export interface FleetContext extends FleetRead {
  /** RFC 3339: when what the sync answers happened, where it is known. */
  readonly triggerTime: string | undefined
  /** Whether exports may say which clusters an import prefers. */
  readonly clusterSelection: boolean
  /** Reports whether a cluster, by its id, that is not read may be there all the same. Default: none. */
  readonly mayBeMissed?: (id: string) => boolean
  readonly settings: FleetSettings
  readonly guards: Guards
  /** Names of slices that another owner has, as `cluster/slice`. */
  readonly taken: ReadonlySet<string>
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Options of a reconciler of cluster sets. In shadow mode it compares in place of writing. */
export interface FleetReconcilerOptions {
  /** The sets by now: clusters may join and leave them. */
  readonly sets: () => readonly ClusterSet[]
  /** The client of a cluster by its name. @throws UnknownClusterError */
  readonly clientOf: (cluster: string) => ApiClient
  /** Not a shadow unless they say so. */
  readonly settings: FleetSettings & Partial<Pick<Settings, 'shadow'>>
  readonly logger: Log
  /** Called with every key that was brought up to date. */
  readonly onReconciled?: (outcome: ReconcileOutcome) => void
  /** Called with every comparison in shadow mode. */
  readonly onCompared?: ((compared: Compared) => void) | undefined
  /** Called with every key that failed, and why; the key goes back to the queue. */
  readonly onFailed?: (key: KeyMessage, error: unknown) => void
  /** Default: the system's. */
  readonly clock?: WallClock
}
