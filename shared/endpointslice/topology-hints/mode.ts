import type { Service } from '../types.ts'
import { ANNOTATION_TOPOLOGY_HINTS, ANNOTATION_TOPOLOGY_MODE } from '../well-known.ts'

/**
 * Kind of hints that the endpoints of a Service get. `topology`: allocated to the zones by CPU
 * (KEP-2433); `zone`: each to its own zone, `node`: and to its own node (KEP-4444, KEP-3015); `none`: not at
 * all.
 */
export type HintMode = 'topology' | 'zone' | 'node' | 'none'

const DISTRIBUTIONS: ReadonlyMap<string, HintMode> = new Map([
  ['PreferClose', 'zone'],
  ['PreferSameZone', 'zone'],
  ['PreferSameNode', 'node'],
])

/**
 * Returns the mode of a Service. Only `topology` needs the nodes' status; for the others their metadata is
 * enough. The annotation wins over `spec.trafficDistribution`; of the annotations, the older one wins.
 * @example
 * ```ts
 * hintModeOf({ spec: { trafficDistribution: 'PreferSameZone' } }) // => 'zone'
 * hintModeOf({}) // => 'none'
 * ```
 */
export function hintModeOf(service: Service): HintMode {
  const annotations = service.metadata?.annotations ?? {}
  const topology = annotations[ANNOTATION_TOPOLOGY_HINTS] ?? annotations[ANNOTATION_TOPOLOGY_MODE]
  if (topology === 'Auto' || topology === 'auto') return 'topology'
  return DISTRIBUTIONS.get(service.spec?.trafficDistribution ?? '') ?? 'none'
}
