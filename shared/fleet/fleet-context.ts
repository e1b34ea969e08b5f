import type { Guards, GuardsSettings, PackingSettings } from '../reconciler/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Log } from '../telemetry/index.ts'

export type FleetSettings = GuardsSettings & Pick<Settings, 'maxEndpointsPerSlice'> & PackingSettings

/** Values that all steps of one sync of a Service of a cluster set share. */
export interface FleetContext {
  readonly set: string
  readonly namespace: string
  readonly name: string
  /** RFC 3339: when what the sync answers happened, where it is known. */
  readonly triggerTime: string | undefined
  readonly settings: FleetSettings
  readonly guards: Guards
  /** Names of slices that turned out to be somebody else's, as `cluster/slice`. */
  readonly taken: ReadonlySet<string>
  readonly logger: Log
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}
