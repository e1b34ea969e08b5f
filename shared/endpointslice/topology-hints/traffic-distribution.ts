import type { PlanEvent } from '../slice-plan.ts'
import type { Drafts } from '../slices/drafts.ts'
import type { Endpoint, Service } from '../types.ts'
import { hintTo, isHintedTo, isReady, removeHints, writeKept, writtenEndpoints } from './endpoint-hints.ts'
import { hintModeOf } from './mode.ts'
import { hintByTopology, type TopologyState } from './topology-aware-hints.ts'

interface HintState extends TopologyState {
  readonly service: Service
}

/**
 * Brings the hints of one address type's slices in line with what the Service asks for: topology-aware ones,
 * or those of its traffic distribution.
 */
export function reconcileHints(drafts: Drafts, state: HintState): PlanEvent[] {
  const mode = hintModeOf(state.service)
  if (mode === 'topology') return hintByTopology(drafts, state)
  if (mode === 'none') removeHints(drafts)
  else hintByDistribution(drafts, mode === 'node')
  return []
}

/**
 * Hints every ready endpoint to its own zone, and with `toNodes` to its own node as well
 * (`spec.trafficDistribution`, KEP-4444 and KEP-3015). Endpoints that are not ready are left as they are.
 */
function hintByDistribution(drafts: Drafts, toNodes: boolean): void {
  const nodeOf = ({ nodeName }: Endpoint): string | undefined =>
    toNodes ? (nodeName ?? undefined) : undefined
  const isWrong = (endpoint: Endpoint): boolean =>
    isReady(endpoint) && !isHintedTo(endpoint, endpoint.zone ?? undefined, nodeOf(endpoint))
  writeKept(drafts, ({ endpoints }) => (endpoints ?? []).some(isWrong))
  for (const endpoint of writtenEndpoints(drafts)) {
    if (isReady(endpoint)) hintTo(endpoint, endpoint.zone ?? undefined, nodeOf(endpoint))
  }
}
