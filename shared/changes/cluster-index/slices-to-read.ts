import { HINTED_SLICES, type SyncHint } from '../key-queue/sync-hint.ts'
import type { SliceEntry } from '../tables/slice-table.ts'
import { sum } from './tables.ts'

export interface SlicesQuestion {
  /** Names of the Pods that changed. */
  readonly pods: readonly string[]
  readonly slices: ReadonlySet<SliceEntry>
  /** Whether the Pod is there and may be published. */
  readonly isEndpoint: (pod: string) => boolean
  /** Names of Pods that changed and may go along, those that wait longest first. Default: none. */
  readonly waiting?: readonly string[]
  /** The most endpoints that a slice is filled up to. */
  readonly maxEndpointsPerSlice: number
}

/** So few Pods are read one by one, however small their Service is. */
const FEW_PODS = 4
/** A list brings all Pods of a Service at less cost than single reads of more than this share of them. */
const SHARE_OF_PODS = 1 / 4
/** Room that messages on their way may take in a slice before this one is read. */
const ROOM_ON_THE_WAY = 8

export interface FoundHint {
  readonly hint: SyncHint
  /** Those slices of the hint that are to be written, as far as the relay can say. */
  readonly written: ReadonlySet<SliceEntry>
  /** Whether the slices hold each of the Pods that is an endpoint: none is to be added. */
  readonly areHeld: boolean
}

/**
 * Says which slices to read for these Pods:
 * 1. every slice that holds one of them;
 * 2. for each address type and port set whose slices lack some of them, where those have no room for all that
 *    are to be added, the slice with room for the rest: the one whose Pods wait longest, or the fullest;
 * 3. another one where little room is left.
 * @returns nothing where a full sync is needed instead
 */
export function hintFor(question: SlicesQuestion): FoundHint | undefined {
  if (costsMoreThanList(question)) return undefined
  const found = slicesToRead(question)
  if (found === undefined || found.written.size === 0 || found.written.size > HINTED_SLICES) return undefined
  const { written, spare, areHeld } = found
  const slices = [...written.union(spare)].slice(0, HINTED_SLICES)
  const sliceVersions = slices.map(({ resourceVersion }) => resourceVersion)
  const hint = {
    pods: question.pods,
    slices: slices.map(({ name }) => name),
    sliceVersions: sliceVersions.includes('') ? undefined : sliceVersions,
  }
  return { hint, written, areHeld }
}

interface SlicesToRead extends Pick<FoundHint, 'written' | 'areHeld'> {
  /** Those that take what does not find room in the others any more. */
  readonly spare: ReadonlySet<SliceEntry>
}

/** Chooses the slices to read; undefined if they cannot be known. */
function slicesToRead(question: SlicesQuestion): SlicesToRead | undefined {
  const { pods, slices } = question
  let areHeld = true
  const written = new Set<SliceEntry>()
  const spare = new Set<SliceEntry>()
  for (const slice of slices) {
    // An empty one that is no placeholder is to be deleted.
    if (!slice.isSealed || (slice.endpoints === 0 && !isOnlyPlaceholder(slice, slices))) return undefined
    if (pods.some((pod) => slice.pods.has(pod))) written.add(slice)
  }
  for (const group of Map.groupBy(slices, groupOf).values()) {
    const missing = pods.filter(
      (pod) => question.isEndpoint(pod) && !group.some((slice) => slice.pods.has(pod)),
    )
    if (missing.length === 0) continue
    areHeld = false
    if (!addPlaces(group, { ...question, count: missing.length }, { written, spare })) return undefined
  }
  return { written, spare, areHeld }
}

/** Reports whether a slice is a placeholder and the only one of its address type, so that it stays. */
const isOnlyPlaceholder = (
  { addressType, isPlaceholder }: SliceEntry,
  slices: ReadonlySet<SliceEntry>,
): boolean => isPlaceholder && [...slices].filter((other) => other.addressType === addressType).length === 1

const groupOf = ({ addressType, portSet }: SliceEntry): string => `${addressType} ${portSet}`

/**
 * Reports whether the slices cost more than a list. Endpoints are counted in one address type: the others
 * have the same Pods.
 */
function costsMoreThanList({ pods, slices }: SlicesQuestion): boolean {
  const counts = new Map<string | undefined, number>()
  for (const { addressType, endpoints } of slices)
    counts.set(addressType, (counts.get(addressType) ?? 0) + endpoints)
  return isListCheaper(pods.length, Math.max(...counts.values()))
}

/**
 * Reports whether a list of a Service's Pods costs less than a read of each of these.
 * @param endpoints of the Service, in one address type
 */
export const isListCheaper = (pods: number, endpoints: number): boolean =>
  pods > FEW_PODS && pods > SHARE_OF_PODS * endpoints

interface PlacesQuestion extends SlicesQuestion {
  /** Endpoints that are to be added. */
  readonly count: number
}

/**
 * Adds the slices for new endpoints, as upstream chooses them: they fill what is written anyway, and one more
 * takes all that are left. Returns false where that one is to be created.
 */
function addPlaces(
  group: readonly SliceEntry[],
  question: PlacesQuestion,
  { written, spare }: Record<'written' | 'spare', Set<SliceEntry>>,
): boolean {
  const roomLeft = (): number => {
    const updated = group.filter((slice) => written.has(slice))
    return roomIn(updated, question) - question.count
  }
  const others = group.filter((slice) => !written.has(slice))
  const takers = withRoom(others, { ...question, count: Math.max(1, -roomLeft()) })
  if (roomLeft() < 0) {
    const first = takers.shift()
    if (first === undefined) return false
    written.add(first)
  }
  const [next] = takers
  if (next !== undefined && roomLeft() < ROOM_ON_THE_WAY) spare.add(next)
  return true
}

/** Finds the slices with room for `count` endpoints: first what is written soon, and then the fullest. */
function withRoom(slices: readonly SliceEntry[], question: PlacesQuestion): SliceEntry[] {
  const { waiting = [], count } = question
  const turnOf = (slice: SliceEntry): number => {
    const at = waiting.findIndex((pod) => slice.pods.has(pod))
    return at === -1 ? waiting.length : at
  }
  return slices
    .filter((slice) => roomIn([slice], question) >= count)
    .map((slice) => ({ slice, turn: turnOf(slice) }))
    .sort((a, b) => a.turn - b.turn || b.slice.endpoints - a.slice.endpoints)
    .map(({ slice }) => slice)
}

/** Counts the endpoints that fit into slices. Those that leave one make room in it. */
function roomIn(slices: readonly SliceEntry[], question: SlicesQuestion): number {
  const { pods, waiting = [], isEndpoint, maxEndpointsPerSlice } = question
  const leaving = [...new Set([...pods, ...waiting])].filter((pod) => !isEndpoint(pod))
  return sum(slices, (slice) => {
    const leave = leaving.filter((pod) => slice.pods.has(pod)).length
    return Math.max(0, maxEndpointsPerSlice - slice.endpoints + leave)
  })
}
