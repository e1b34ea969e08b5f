import { compactPacking } from './compact.ts'
import { type PackingPolicy, upstreamPacking } from './policy.ts'

export { type CompactLimits, compactPacking } from './compact.ts'
export { type Merge, type PackedSlice, type PackingPolicy, upstreamPacking } from './policy.ts'

/** The packing policies that have a name. */
export type Packing = 'upstream' | 'compact'

export const PACKING_POLICIES: Readonly<Record<Packing, PackingPolicy>> = {
  upstream: upstreamPacking,
  compact: compactPacking(),
}
