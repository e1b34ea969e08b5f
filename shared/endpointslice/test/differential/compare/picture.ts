import { ANNOTATION_TOPOLOGY_HINTS, ANNOTATION_TOPOLOGY_MODE, type EndpointSlice } from '../../../index.ts'
import type { Outcome, TestCase } from '../test-case.ts'
import { endpointText, isIdle, isReady, metadataText, portsText, type TextOptions } from './slice-text.ts'

/** Number of ready endpoints that are hinted to each zone, by zone (`-` for none). */
export type HintCounts = Readonly<Record<string, number>>

/** Outcome in one address type, in a form that can be compared. */
export interface Picture {
  /** One text an endpoint, with the ports of its slice, sorted. */
  readonly endpoints: readonly string[]
  /** One text a slice: its ports, size, metadata, and the name if it existed before; sorted. */
  readonly slices: readonly string[]
  /** Hints; present with topology hints only. */
  readonly hints: HintCounts
  readonly writes: { readonly creates: number; readonly updates: number; readonly deletes: number }
}

/** Reports whether hints are shared out among zones, which upstream does by chance. */
export function sharesHints({ service }: TestCase): boolean {
  const { [ANNOTATION_TOPOLOGY_HINTS]: older, [ANNOTATION_TOPOLOGY_MODE]: mode } =
    service.metadata?.annotations ?? {}
  return ['Auto', 'auto'].includes(older ?? mode ?? '')
}

/** Returns the pictures of all address types that have slices before or after. */
export function picturesOf(testCase: TestCase, outcome: Outcome): Map<string, Picture> {
  const options: TextOptions = { sharedHints: sharesHints(testCase) }
  const types = [...testCase.slices, ...outcome.create, ...outcome.update].map(
    ({ addressType }) => addressType,
  )
  return new Map(
    [...new Set(types)].sort().map((type) => [type, pictureOf(type, testCase, outcome, options)]),
  )
}

function pictureOf(type: string, { slices }: TestCase, outcome: Outcome, options: TextOptions): Picture {
  const isOfType = ({ addressType }: EndpointSlice): boolean => addressType === type
  const before = slices.filter(isOfType)
  const create = outcome.create.filter(isOfType)
  const updates = new Map(outcome.update.filter(isOfType).map((slice) => [nameOf(slice), slice]))
  const deleted = new Set(outcome.delete)
  const kept = before.filter((slice) => !deleted.has(nameOf(slice)))
  const stored = kept.map((slice) => {
    const update = updates.get(nameOf(slice))
    return update === undefined || isIdle(slice, update, options) ? slice : update
  })
  const after = [...stored, ...create]
  return {
    endpoints: after.flatMap((slice) => endpointTexts(slice, options)).sort(),
    slices: [
      ...stored.map((slice) => sliceText(slice, nameOf(slice))),
      ...create.map((slice) => sliceText(slice, '(new)')),
      ...[...updates.keys()].filter(isUnknownTo(kept)).map((name) => `write of ${name}, which is not there`),
    ].sort(),
    hints: options.sharedHints ? hintCounts([...kept.map(latest(updates)), ...create]) : {},
    writes: { creates: create.length, updates: updates.size, deletes: before.length - kept.length },
  }
}

export const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''

const isUnknownTo =
  (kept: readonly EndpointSlice[]) =>
  (name: string): boolean =>
    !kept.some((slice) => nameOf(slice) === name)

const latest =
  (updates: ReadonlyMap<string, EndpointSlice>) =>
  (slice: EndpointSlice): EndpointSlice =>
    updates.get(nameOf(slice)) ?? slice

const endpointTexts = (slice: EndpointSlice, options: TextOptions): string[] =>
  (slice.endpoints ?? []).map((endpoint) => `[${portsText(slice)}] ${endpointText(endpoint, options)}`)

const sliceText = (slice: EndpointSlice, name: string): string =>
  `${name} [${portsText(slice)}] ${slice.endpoints?.length ?? 0} endpoints ${metadataText(slice)}`

function hintCounts(slices: readonly EndpointSlice[]): HintCounts {
  const counts: Record<string, number> = {}
  for (const endpoint of slices.flatMap(({ endpoints }) => endpoints ?? [])) {
    if (!isReady(endpoint)) continue
    const zones = (endpoint.hints?.forZones ?? []).map(({ name }) => name)
    const key = zones.sort().join('+') || '-'
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}
