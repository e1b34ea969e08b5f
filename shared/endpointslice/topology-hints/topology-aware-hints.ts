import type { PlanEvent } from '../slice-plan.ts'
import type { Drafts } from '../slices/drafts.ts'
import type { AddressType, EndpointSlice } from '../types.ts'
import {
  hintsUnchanged,
  hintTo,
  isReady,
  removeHints,
  writeKept,
  writtenEndpoints,
} from './endpoint-hints.ts'
import type { ZoneCpu } from './zone-cpu.ts'

const DISABLED = 'TopologyAwareHintsDisabled'
/** Writes the end of an event's message as the in-tree controller does. */
const suffixOf = (addressType: AddressType): string => `, addressType: ${addressType}`

/** Reasons why a Service gets no topology hints; the texts are those of the in-tree controller's events. */
const NO_NODE_INFO =
  'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes'
const NO_ZONE = 'One or more endpoints do not have a zone specified'

export interface TopologyState {
  readonly addressType: AddressType
  /** Spread of CPU over the zones; computed only when it is needed. */
  readonly zoneCpu: () => ZoneCpu | undefined
  /** Whether some slice of the Service has hints as yet. */
  readonly hadHints: () => boolean
}

/**
 * Shares the endpoints out among the zones (KEP-2433):
 * 1. Kept slices whose hints are complete and within the limits stay as they are; others get new ones.
 * 2. Every endpoint of a slice that is written is first for its own zone.
 * 3. Zones with more endpoints than their share then give some to zones with less.
 * When the endpoints cannot be shared out, all hints are removed.
 * @returns the events of the Service, as the in-tree controller has them
 */
export function hintByTopology(
  drafts: Drafts,
  { addressType, zoneCpu, hadHints }: TopologyState,
): PlanEvent[] {
  const written = drafts.update.length
  const problem = share(drafts, zoneCpu())
  if (problem !== undefined) removeHints(drafts)
  undoIdleWrites(drafts, written)
  const suffix = suffixOf(addressType)
  if (problem !== undefined) return [{ type: 'Warning', reason: DISABLED, message: problem + suffix }]
  if (hadHints()) return []
  const message = `Topology Aware Hints has been enabled${suffix}`
  return [{ type: 'Normal', reason: 'TopologyAwareHintsEnabled', message }]
}

/** Returns why an address type has no topology hints, by the events of a plan; `undefined` if it has. */
export function topologyProblem(events: readonly PlanEvent[], addressType: AddressType): string | undefined {
  const suffix = suffixOf(addressType)
  const event = events.find(({ reason, message }) => reason === DISABLED && message.endsWith(suffix))
  return event?.message.slice(0, -suffix.length)
}

function share(drafts: Drafts, zoneCpu: ZoneCpu | undefined): string | undefined {
  if (zoneCpu === undefined) return NO_NODE_INFO
  const allocations = allocationsFor(countReady(drafts), zoneCpu)
  if (typeof allocations === 'string') return allocations
  const hinted = new Map<string, number>()
  writeKept(drafts, (slice) => !countHints(slice, hinted, allocations))
  if (!hintToOwnZones(drafts, hinted)) return NO_ZONE
  redistributeHints(drafts, movesBetween(allocations, hinted))
  return undefined
}

function countReady(drafts: Drafts): number {
  let count = 0
  for (const endpoint of writtenEndpoints(drafts)) if (isReady(endpoint)) count++
  for (const { endpoints } of drafts.keep) count += (endpoints ?? []).filter(isReady).length
  return count
}

/** Adds the slice's hints to the counts (step 1). If they are of no use, it adds none and returns false. */
function countHints(
  slice: EndpointSlice,
  hinted: Map<string, number>,
  allocations: ZoneAllocations,
): boolean {
  const counts = new Map<string, number>()
  for (const endpoint of slice.endpoints ?? []) {
    if (!isReady(endpoint)) continue
    const zones = endpoint.hints?.forZones ?? []
    if (zones.length === 0) return false
    for (const { name } of zones) add(counts, name, 1)
  }
  for (const [zone, count] of counts) {
    if (count + (hinted.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? -1)) return false
  }
  for (const [zone, count] of counts) add(hinted, zone, count)
  return true
}

const add = (counts: Map<string, number>, zone: string, count: number): unknown =>
  counts.set(zone, (counts.get(zone) ?? 0) + count)

/** Hints each endpoint of a written slice to its own zone (step 2). @returns whether all have a zone */
function hintToOwnZones(drafts: Drafts, hinted: Map<string, number>): boolean {
  for (const endpoint of writtenEndpoints(drafts)) {
    if (!isReady(endpoint)) continue
    const zone = endpoint.zone ?? ''
    if (zone === '') return false
    add(hinted, zone, 1)
    hintTo(endpoint, zone, undefined)
  }
  return true
}

/** Moves some hints to other zones (step 3). */
function redistributeHints(
  drafts: Drafts,
  { give, take }: { give: Map<string, number>; take: string[] },
): void {
  for (const endpoint of writtenEndpoints(drafts)) {
    const left = isReady(endpoint) ? (give.get(endpoint.zone ?? '') ?? 0) : 0
    if (left === 0) continue
    const zone = take.shift()
    if (zone === undefined) return
    hintTo(endpoint, zone, undefined)
    give.set(endpoint.zone ?? '', left - 1)
  }
}

/** Keeps a slice after all that was to be written for its hints alone, and got the hints that it had. */
function undoIdleWrites(drafts: Drafts, from: number): void {
  for (const draft of drafts.update.splice(from)) {
    if (draft.origin !== undefined && hintsUnchanged(draft)) drafts.keep.push(draft.origin)
    else drafts.update.push(draft)
  }
}

/** Numbers of endpoints of each zone to hint to another, and the zones to hint to: one entry an endpoint. */
interface Moves {
  readonly give: Map<string, number>
  readonly take: string[]
}

/**
 * Moves endpoints, one at a time, from the zone with the greatest surplus to the one with the greatest need,
 * until neither has a whole endpoint left to give or to take, or one has less than half.
 */
export function movesBetween(allocations: ZoneAllocations, hinted: ReadonlyMap<string, number>): Moves {
  const surplus = new Map<string, number>()
  for (const [zone, { desired }] of allocations) surplus.set(zone, (hinted.get(zone) ?? 0) - desired)
  const moves: Moves = { give: new Map(), take: [] }
  for (;;) {
    const [giver, most] = extreme(surplus, 1)
    const [taker, least] = extreme(surplus, -1)
    const need = -least
    if (most < 0.5 || need < 0.5 || (most < 1 && need < 1)) return moves
    surplus.set(giver, most - 1)
    surplus.set(taker, least + 1)
    moves.give.set(giver, (moves.give.get(giver) ?? 0) + 1)
    moves.take.push(taker)
  }
}

/** Finds the entry with the greatest value, or with the least for the sign -1; the first of equal ones. */
function extreme(values: ReadonlyMap<string, number>, sign: 1 | -1): [string, number] {
  let found: [string, number] = ['', 0]
  for (const [zone, value] of values) if (sign * value > sign * found[1]) found = [zone, value]
  return found
}

/** Number of endpoints that should be hinted to a zone. */
interface ZoneAllocation {
  readonly desired: number
  readonly maximum: number
}
type ZoneAllocations = ReadonlyMap<string, ZoneAllocation>

/** Share of traffic above its fair share that an endpoint may get: a fifth. */
const OVERLOAD_THRESHOLD = 0.2

const TOO_FEW = 'Insufficient number of endpoints'
const TOO_UNEVEN =
  'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold'

/**
 * Computes what each zone should get of a number of ready endpoints.
 * @returns the reason, when no zone may be overloaded and that is not possible
 */
export function allocationsFor(endpoints: number, zoneCpu: ZoneCpu): ZoneAllocations | string {
  const situation = `(${endpoints} endpoints, ${zoneCpu.size} zones)`
  if (endpoints < zoneCpu.size) return `${TOO_FEW} ${situation}`
  const zones = [...zoneCpu].map(([zone, share]) => {
    const fair = share * endpoints
    const minimum = Math.ceil(fair * (1 / (1 + OVERLOAD_THRESHOLD)))
    return { zone, minimum, desired: Math.max(fair, minimum) }
  })
  const spare = endpoints - zones.reduce((sum, { minimum }) => sum + minimum, 0)
  if (spare < 0) return `${TOO_UNEVEN} ${situation}`
  return new Map(zones.map(({ zone, minimum, desired }) => [zone, { desired, maximum: minimum + spare }]))
}
