import { type Draft, type Drafts, draftOf } from '../slices/drafts.ts'
import type { Endpoint, EndpointHints, EndpointSlice } from '../types.ts'

export const isReady = (endpoint: Endpoint): boolean => endpoint.conditions?.ready === true

export const hasHints = ({ hints }: Endpoint): boolean => hints !== undefined && hints !== null

/** Reports whether the hint is for exactly this one zone or node, or for none if none is wished. */
function namesOnly(
  targets: readonly { name: string }[] | null | undefined,
  wish: string | undefined,
): boolean {
  const given = targets ?? []
  return wish === undefined ? given.length === 0 : given.length === 1 && given[0]?.name === wish
}

/** Reports whether the endpoint's hints are this zone and this node alone; no hints at all if neither. */
export function isHintedTo({ hints }: Endpoint, zone: string | undefined, node: string | undefined): boolean {
  return namesOnly(hints?.forZones, zone) && namesOnly(hints?.forNodes, node)
}

/** Sets the hint, or removes it when there is neither zone nor node. */
export function hintTo(endpoint: Endpoint, zone: string | undefined, node: string | undefined): void {
  const hints: EndpointHints = {}
  if (zone !== undefined) hints.forZones = [{ name: zone }]
  if (node !== undefined) hints.forNodes = [{ name: node }]
  if (zone === undefined && node === undefined) delete endpoint.hints
  else endpoint.hints = hints
}

/** Turns those kept slices that meet the condition into drafts. */
export function writeKept(drafts: Drafts, needsWriting: (slice: EndpointSlice) => boolean): void {
  const keep = []
  for (const slice of drafts.keep) {
    if (needsWriting(slice)) drafts.update.push(draftOf(slice, false))
    else keep.push(slice)
  }
  drafts.keep = keep
}

export function* writtenEndpoints({ create, update }: Drafts): Generator<Endpoint> {
  for (const draft of create) yield* draft.endpoints
  for (const draft of update) yield* draft.endpoints
}

/** Removes every hint; kept slices that have some are written. */
export function removeHints(drafts: Drafts): void {
  writeKept(drafts, (slice) => (slice.endpoints ?? []).some(hasHints))
  for (const endpoint of writtenEndpoints(drafts)) delete endpoint.hints
}

/** Reports whether the draft hints its endpoints as the slice that it comes from does. */
export function hintsUnchanged({ origin, endpoints }: Draft): boolean {
  const before = origin?.endpoints ?? []
  return endpoints.every(({ hints }, index) => sameHints(hints, before[index]?.hints))
}

function sameHints(a: EndpointHints | null | undefined, b: EndpointHints | null | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
