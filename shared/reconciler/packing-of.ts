import { compactPacking, PACKING_POLICIES, type PackingPolicy } from '../endpointslice/index.ts'
import type { Settings } from '../settings/index.ts'

/** Settings of how slices are packed. */
export type PackingSettings = Pick<Settings, 'packing' | 'compactWrites' | 'compactFill' | 'maximumWrites'>

/** Makes the policy that the settings ask for. Compaction makes no more writes than a plan may. */
export function packingOf({
  packing,
  compactWrites,
  compactFill,
  maximumWrites,
}: PackingSettings): PackingPolicy {
  if (packing !== 'compact') return PACKING_POLICIES[packing]
  const writes = maximumWrites > 0 ? Math.min(compactWrites, maximumWrites) : compactWrites
  return compactPacking({ writes, fill: compactFill })
}
