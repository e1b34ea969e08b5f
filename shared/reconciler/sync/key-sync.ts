import type { PermissionSettings, ReadAhead, Selection } from '../../changes/index.ts'
import type { Service } from '../../endpointslice/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Guards, GuardsSettings } from '../guards/guards.ts'
import type { EndpointReader } from '../read/endpoint-reader.ts'
import type { ReadableCluster } from '../read/readable-cluster.ts'
import type { StateCache } from '../write/state-cache.ts'
import type { PlanWriter } from '../write/write-slices.ts'
import type { Reporter } from './reporter.ts'

type SyncSettings = GuardsSettings &
  PermissionSettings &
  Pick<Settings, 'mode' | 'managedBy' | 'maxEndpointsPerSlice' | 'packing'>

/** What the syncs of all keys share. */
export interface SharedBySyncs {
  readonly settings: SyncSettings
  readonly guards: Guards
  readonly cache: StateCache
}

/** What belongs to the syncs of one key and is gone with them, beside what all share. */
export interface KeySync extends SharedBySyncs {
  readonly key: KeyMessage
  readonly home: ReadableCluster
  readonly select: (service: Service) => Selection
  readonly endpoints: EndpointReader
  readonly reporter: Reporter
  readonly writer: PlanWriter
  /** Awaited before a list goes beyond its first page. */
  readonly beforeMore: () => Promise<void>
  readonly signal: AbortSignal
  /** Versions that pods have reached which will do for the first sync; absent: the newest pods. */
  firstVersion?: string | undefined
  /** What the first sync may read at once; absent: it reads in order. */
  readAhead?: ReadAhead | undefined
  /** Whether a sync has waited for others to publish what we give up. */
  hasWaited?: boolean
}
