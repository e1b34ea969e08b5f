import type { PlanEvent } from '../slice-plan.ts'
import type { Drafts } from '../slices/drafts.ts'
import type { AddressType, Endpoint, Service } from '../types.ts'
import { hintTo, isHintedTo, isReady, removeHints, writeKept, writtenEndpoints } from './hints.ts'
import { hintModeOf } from './mode.ts'
import { hintByTopology } from './topology.ts'
import type { ZoneCpu } from './zone-cpu.ts'

const DISABLED = 'TopologyAwareHintsDisabled'
/** Writes the end of an event's message as the in-tree controller does. */
const suffixOf = (addressType: AddressType): string => `, addressType: ${addressType}`

interface HintState {
  readonly service: Service
  readonly addressType: AddressType
  /** Spread of CPU over the zones; computed only when it is needed. */
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
    return [{ type: 'Warning', reason: DISABLED, message: problem + suffixOf(addressType) }]
  }
  if (hadHints()) return []
  const message = `Topology Aware Hints has been enabled${suffixOf(addressType)}`
  return [{ type: 'Normal', reason: 'TopologyAwareHintsEnabled', message }]
}

/**
 * Returns why an address type's endpoints get no topology hints, from the events of a plan, or `undefined` if
 * they do.
 */
export function topologyProblem(events: readonly PlanEvent[], addressType: AddressType): string | undefined {
  const suffix = suffixOf(addressType)
  const event = events.find(({ reason, message }) => reason === DISABLED && message.endsWith(suffix))
  return event?.message.slice(0, -suffix.length)
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
