import { copyJson } from '../objects/copy.ts'
import type { Named } from '../objects/validate.ts'
import { type Draft, type Drafts, draftOf } from '../slices/drafts.ts'
import type { Endpoint, EndpointSlice } from '../types.ts'
import type { PackedSlice, PackingPolicy } from './policy.ts'

/** One slice of a group; `draft` is there once it is to be written. */
interface Slot {
  readonly write: PackedSlice['write']
  readonly origin: Named<EndpointSlice> | undefined
  draft: Draft | undefined
  isGivenUp: boolean
}

/**
 * Merges slices of a group as the policy says. A group of which nothing is written is left as it is: an
 * unchanged Service costs no write.
 */
export function mergeSlices(group: Drafts, policy: PackingPolicy, maxEndpointsPerSlice: number): void {
  if ([group.create, group.update, group.remove].every(({ length }) => length === 0)) return
  const slots = slotsOf(group)
  const merges = policy(slots.map(packedSlice), maxEndpointsPerSlice)
  if (merges.length === 0) return
  for (const { from, into } of merges) {
    const victim = slots[from]
    const endpoints = victim === undefined ? [] : takeEndpoints(victim)
    for (const { slice, count } of into) draftAt(slots[slice])?.endpoints.push(...endpoints.splice(0, count))
  }
  regroup(group, slots)
}

const slotsOf = ({ keep, update, create }: Drafts): Slot[] => [
  ...keep.map((origin) => ({ write: 'none' as const, origin, draft: undefined, isGivenUp: false })),
  ...update.map((draft) => ({ write: 'update' as const, origin: draft.origin, draft, isGivenUp: false })),
  ...create.map((draft) => ({ write: 'create' as const, origin: undefined, draft, isGivenUp: false })),
]

const packedSlice = ({ write, origin, draft }: Slot): PackedSlice => ({
  write,
  size: (draft ?? origin)?.endpoints?.length ?? 0,
})

/** Gives the slice up. */
function takeEndpoints(slot: Slot): Endpoint[] {
  slot.isGivenUp = true
  return slot.draft?.endpoints ?? copyJson(slot.origin?.endpoints ?? [])
}

function draftAt(slot: Slot | undefined): Draft | undefined {
  if (slot?.origin !== undefined) slot.draft ??= draftOf(slot.origin, false)
  return slot?.draft
}

function regroup(group: Drafts, slots: readonly Slot[]): void {
  group.keep = []
  group.update.length = 0
  group.create.length = 0
  for (const { origin, draft, isGivenUp } of slots) {
    if (isGivenUp) group.remove.push(...(origin === undefined ? [] : [origin]))
    else if (draft === undefined) group.keep.push(...(origin === undefined ? [] : [origin]))
    else (origin === undefined ? group.create : group.update).push(draft)
  }
}
