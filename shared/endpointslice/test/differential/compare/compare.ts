import type { Outcome, TestCase } from '../test-case.ts'
import { type HintCounts, type Picture, picturesOf, sharesHints } from './picture.ts'

/** Something that plan() does and upstream never did. */
export interface Difference {
  /** Aspect that differs. It is the same for cases that differ in the same way, as far as can be seen. */
  readonly aspect: 'endpoints' | 'slices' | 'writes' | 'hints' | 'events' | 'error' | 'crash'
  /** Empty for what is of no address type. */
  readonly addressType: string
  /** Items that only upstream has, in the nearest of its outcomes. */
  readonly onlyUpstream: readonly string[]
  readonly onlyOurs: readonly string[]
}

/**
 * Compares our outcome of a case with those of upstream. Each address type must look like one of upstream's
 * outcomes, and so must the events and whether there is an error. What is accepted beyond that, and why, is
 * described in README.md.
 * @returns no differences, or those to the nearest outcome of each
 */
export function compare(testCase: TestCase, ours: Outcome, upstream: readonly Outcome[]): Difference[] {
  const mine = picturesOf(testCase, ours)
  const theirs = upstream.map((outcome) => picturesOf(testCase, outcome))
  const types = new Set([mine, ...theirs].flatMap((pictures) => [...pictures.keys()]))
  const isDeleted = typeof testCase.service.metadata?.deletionTimestamp === 'string'
  const differences = [...types].flatMap((addressType) => {
    const picture = mine.get(addressType) ?? NOTHING
    const seen = theirs.map((pictures) => pictures.get(addressType) ?? NOTHING)
    const found = comparePictures(picture, seen, isDeleted)
    if (sharesHints(testCase)) found.push(...compareHints(picture.hints, seen))
    return found.map((difference) => ({ ...difference, addressType }))
  })
  const said = (events: readonly string[]): string[] => comparableEvents(testCase, events)
  const failed = ({ error }: Outcome): string[] => (error === '' ? [] : ['an error'])
  return [
    ...differences,
    ...compareLists(
      'events',
      [...new Set(ours.events)].sort(),
      upstream.map(({ events }) => said(events)),
    ),
    ...compareLists('error', failed(ours), upstream.map(failed)),
  ]
}

/**
 * Returns the Events that can be compared. Upstream knows from its memory of earlier syncs whether hints are
 * new, and a new process does not. plan() goes by the slices. So if slices have hints, upstream's Event about
 * new hints does not count.
 */
function comparableEvents({ slices }: TestCase, events: readonly string[]): string[] {
  const hadHints = slices.some(({ endpoints }) => (endpoints ?? []).some(({ hints }) => hints))
  return [...new Set(events)].filter((event) => !(hadHints && event.includes(HINTS_ENABLED))).sort()
}

const HINTS_ENABLED = 'TopologyAwareHintsEnabled'

type Found = Omit<Difference, 'addressType'>

const NOTHING: Picture = {
  endpoints: [],
  slices: [],
  hints: {},
  writes: { creates: 0, updates: 0, deletes: 0 },
}

/** Returns the differences to that outcome of upstream's that is nearest. */
function comparePictures(ours: Picture, seen: readonly Picture[], isDeleted: boolean): Found[] {
  const everSeen = isDeleted ? [...new Set(seen.flatMap(({ endpoints }) => endpoints))] : undefined
  let best: Found[] | undefined
  for (const theirs of seen) {
    const found = [
      ...compareEndpoints(ours, theirs, everSeen),
      ...compareTexts('slices', ours.slices, theirs.slices),
      ...compareWrites(ours.writes, theirs.writes),
    ]
    if (found.length === 0) return []
    if (best === undefined || sizeOf(found) < sizeOf(best)) best = found
  }
  return best ?? []
}

const sizeOf = (found: readonly Found[]): number =>
  found.reduce((sum, { onlyUpstream, onlyOurs }) => sum + onlyUpstream.length + onlyOurs.length, 0)

/**
 * @param everSeen when it is left to chance which endpoints are written: any of those that upstream ever
 *   wrote will do
 */
function compareEndpoints(ours: Picture, theirs: Picture, everSeen: readonly string[] | undefined): Found[] {
  if (everSeen === undefined) return compareTexts('endpoints', ours.endpoints, theirs.endpoints)
  const never = ours.endpoints.filter((endpoint) => !everSeen.includes(endpoint))
  return never.length === 0 ? [] : [{ aspect: 'endpoints', onlyUpstream: [], onlyOurs: never }]
}

/** Compares the writes. Fewer writes to the same end are welcome. */
function compareWrites(ours: Picture['writes'], theirs: Picture['writes']): Found[] {
  const { creates, updates, deletes } = ours
  if (creates <= theirs.creates && updates <= theirs.updates && deletes <= theirs.deletes) return []
  const text = (writes: Picture['writes']): string[] => [
    `${writes.creates} creates, ${writes.updates} updates, ${writes.deletes} deletes`,
  ]
  return [{ aspect: 'writes', onlyUpstream: text(theirs), onlyOurs: text(ours) }]
}

/** Compares the hints: as many in all, and for no zone fewer or more than upstream ever gave it. */
function compareHints(ours: HintCounts, seen: readonly Picture[]): Found[] {
  const zones = new Set([ours, ...seen.map(({ hints }) => hints)].flatMap((counts) => Object.keys(counts)))
  const isWithin = [...zones].every((zone) => {
    const counts = seen.map(({ hints }) => hints[zone] ?? 0)
    const count = ours[zone] ?? 0
    return count >= Math.min(...counts) && count <= Math.max(...counts)
  })
  const total = (counts: HintCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (isWithin && seen.some(({ hints }) => total(hints) === total(ours))) return []
  const text = (counts: HintCounts): string =>
    Object.entries(counts)
      .sort()
      .map(([zone, count]) => `${zone}: ${count}`)
      .join(', ')
  const onlyUpstream = [...new Set(seen.map(({ hints }) => text(hints)))]
  return [{ aspect: 'hints', onlyUpstream, onlyOurs: [text(ours)] }]
}

function compareLists(
  aspect: Difference['aspect'],
  ours: string[],
  seen: readonly (readonly string[])[],
): Difference[] {
  const found = seen.map((theirs) => compareTexts(aspect, ours, theirs))
  const nearest = found.sort((a, b) => sizeOf(a) - sizeOf(b))[0] ?? []
  return nearest.map((difference) => ({ ...difference, addressType: '' }))
}

function compareTexts(
  aspect: Difference['aspect'],
  ours: readonly string[],
  theirs: readonly string[],
): Found[] {
  const onlyOurs = without(ours, theirs)
  const onlyUpstream = without(theirs, ours)
  return onlyOurs.length + onlyUpstream.length === 0 ? [] : [{ aspect, onlyUpstream, onlyOurs }]
}

/** Takes each item of another list away from a list once. */
function without(list: readonly string[], taken: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const item of taken) counts.set(item, (counts.get(item) ?? 0) + 1)
  return list.filter((item) => {
    const count = counts.get(item) ?? 0
    if (count > 0) counts.set(item, count - 1)
    return count === 0
  })
}
