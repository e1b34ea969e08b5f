import { compactPacking, PACKING_POLICIES, type PackingPolicy } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'

/** Settings of how slices are packed. */
export type PackingSettings = Pick<Settings, 'packing' | 'maximumWrites'>

/** Further writes that a plan may make to save slices. */
const COMPACT_WRITES = 8

/** Makes the policy that the settings ask for. Compaction makes no more writes than a plan may. */
export function packingOf({ packing, maximumWrites }: PackingSettings): PackingPolicy {
  if (packing !== 'compact') return PACKING_POLICIES[packing]
  return compactPacking({ writes: Math.min(COMPACT_WRITES, maximumWrites || COMPACT_WRITES) })
}
