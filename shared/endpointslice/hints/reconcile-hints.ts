import type { Drafts } from '../drafts.ts'
import type { PlanEvent } from '../slice-plan.ts'
import type { AddressType, Service } from '../types.ts'
import { hintByDistribution } from './distribution.ts'
import { removeHints } from './hints.ts'
import { hintModeOf } from './mode.ts'
import { hintByTopology } from './topology.ts'
import type { ZoneCpu } from './zone-cpu.ts'

export interface HintState {
  readonly service: Service
  readonly addressType: AddressType
  /** How CPU is spread over the zones; worked out only when it is needed. */
  readonly zoneCpu: () => ZoneCpu | undefined
  /** Whether some slice of the Service has hints as yet. */
  readonly hadHints: () => boolean
}

/** Brings the hints of one address type's slices in line with what the Service asks for. */
export function reconcileHints(drafts: Drafts, state: HintState): PlanEvent[] {
  const mode = hintModeOf(state.service)
  if (mode === 'topology') return topologyEvents(hintByTopology(drafts, state.zoneCpu()), state)
  if (mode === 'none') removeHints(drafts)
  else hintByDistribution(drafts, mode === 'node')
  return []
}

function topologyEvents(problem: string | undefined, { addressType, hadHints }: HintState): PlanEvent[] {
  if (problem !== undefined) {
    const message = `${problem}, addressType: ${addressType}`
    return [{ type: 'Warning', reason: 'TopologyAwareHintsDisabled', message }]
  }
  if (hadHints()) return []
  const message = `Topology Aware Hints has been enabled, addressType: ${addressType}`
  return [{ type: 'Normal', reason: 'TopologyAwareHintsEnabled', message }]
}
