import { optional, type RawContext, text } from './context-values.ts'
import type { FleetInput } from './settings/index.ts'

export interface FleetContext {
  readonly fleet?: FleetInput
}

/** The key of the context, a flag of the command too, and what it is. */
export const FLEET_KEYS = {
  fleet:
    'one Service over all clusters for each that is exported (KEP-1645): "*", or the namespaces that mean the same everywhere, separated by commas; several sets: --set clusterSets',
} as const

/** Reads what the context says of a cluster set. @throws DeploymentError for what is no text */
export function readFleet(context: RawContext): FleetContext {
  const namespaces = text(context, 'fleet')
    ?.split(',')
    .map((pattern) => pattern.trim())
  return optional('fleet', namespaces && { namespaces })
}
