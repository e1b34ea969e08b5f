import type { SlicePlan } from '../slice-plan.ts'
import type { EndpointSlice } from '../types.ts'

/**
 * Returns the slices that there will be once a plan is applied.
 * @example
 * ```ts
 * const service = {
 *   metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7' },
 * }
 * slicesAfter([], plan({ service, pods: [], nodes: [], slices: [] })).length // => 1
 * ```
 */
export function slicesAfter(
  slices: readonly EndpointSlice[],
  plan: Pick<SlicePlan, 'create' | 'update' | 'delete'>,
): EndpointSlice[] {
  const gone = new Set(plan.delete.map(nameOf))
  const updates = new Map(plan.update.map((slice) => [nameOf(slice), slice]))
  const stay = slices.filter((slice) => !gone.has(nameOf(slice)))
  return [...stay.map((slice) => updates.get(nameOf(slice)) ?? slice), ...plan.create]
}

export const nameOf = (slice: EndpointSlice): string => slice?.metadata?.name ?? ''
