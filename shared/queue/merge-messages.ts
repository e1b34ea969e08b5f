import { isDeepStrictEqual } from 'node:util'
import {
  HINTED_PODS,
  HINTED_SLICES,
  type HintFacts,
  mergeChanges,
  newerOf,
  type ReadAhead,
  type SyncHint,
} from '../changes/index.ts'
import { withValues } from '../values/index.ts'
import type { KeyMessage } from './message.ts'
import { mergeTraceparents } from './traceparent.ts'

/**
 * Merges two messages of one key into one that stands for both: a hint only where both have one, with the
 * Pods and slices of either, and facts that are as new as the older message says. It is an audit's only where
 * both are.
 * Versions of different histories have no order, so that neither counts.
 */
export function mergeMessages(earlier: KeyMessage, later: KeyMessage): KeyMessage {
  if (earlier.history !== later.history)
    return mergeMessages(withoutVersions(earlier), withoutVersions(later))
  const { history, fleetVersions } = later
  return withValues<KeyMessage>({
    ...mergeChanges(earlier, later),
    hint: mergeHints(earlier, later),
    readAhead: mergeReadAhead(earlier.readAhead, later.readAhead),
    nodesVersion: newerOf(earlier.nodesVersion, later.nodesVersion),
    serviceVersion: newerOf(earlier.serviceVersion, later.serviceVersion),
    podsVersion: newerOf(earlier.podsVersion, later.podsVersion),
    history,
    relayVerifies: earlier.relayVerifies && later.relayVerifies,
    audit: earlier.audit && later.audit,
    // Which of the two is the newer one is not known: without either everything is read.
    fleetVersions: isDeepStrictEqual(earlier.fleetVersions, fleetVersions) ? fleetVersions : undefined,
    membersDigest: mergeDigests(earlier.membersDigest, later.membersDigest),
    writer: mergeDigests(earlier.writer, later.writer),
    traceparents: mergeTraceparents(earlier.traceparents, later.traceparents),
  })
}

/** Removes all versions from a message, as those of another history mean nothing. The sync then reads all. */
export function withoutVersions({
  hint: _hint,
  readAhead: _readAhead,
  resourceVersion: _resourceVersion,
  nodesVersion: _nodesVersion,
  serviceVersion: _serviceVersion,
  podsVersion: _podsVersion,
  history: _history,
  fleetVersions: _fleetVersions,
  ...message
}: KeyMessage): KeyMessage {
  return message
}

/** Stands for two digests, one of which is out of date or another's: no set and no writer has it. */
const SEVERAL = 'several'

const mergeDigests = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || other === undefined || one === other ? (one ?? other) : SEVERAL

function mergeHints(earlier: KeyMessage, later: KeyMessage): SyncHint | undefined {
  const { hint: one } = earlier
  const { hint: other } = later
  if (one === undefined || other === undefined) return undefined
  const pods = [...new Set([...one.pods, ...other.pods])]
  const slices = [...new Set([...one.slices, ...other.slices])]
  if (pods.length > HINTED_PODS || slices.length > HINTED_SLICES) return undefined
  const sliceVersions = slices.map((slice) => newerOf(versionIn(one, slice), versionIn(other, slice)))
  const areKnown = sliceVersions.every((version) => version !== undefined)
  const areCounted = one.selected !== undefined && other.selected !== undefined
  return withValues<SyncHint>({
    pods,
    slices,
    sliceVersions: areKnown ? sliceVersions : undefined,
    // Either may be stale: the larger number errs towards a full sync.
    selected: areCounted ? Math.max(one.selected, other.selected) : undefined,
    facts: mergeFacts(earlier, later, pods),
  })
}

/**
 * Merges what is known of Pods that messages name: of each what was seen last. A Pod that only the older one
 * names may have changed before the other was made, so that all are as new as the older one.
 */
function mergeFacts(one: KeyMessage, other: KeyMessage, pods: readonly string[]): HintFacts | undefined {
  const newest = newerOf(one.podsVersion, other.podsVersion)
  if (newest === undefined || one.serviceVersion !== other.serviceVersion) return undefined
  const [older, newer] = other.podsVersion === newest ? [one, other] : [other, one]
  const [before, after] = [older.hint?.facts, newer.hint?.facts]
  if (before === undefined || after === undefined || before.selector !== after.selector) return undefined
  const known = new Map([older, newer].flatMap(({ hint }) => factsByName(hint)))
  const [seen, alsoSeen] = [before.podsVersion ?? older.podsVersion, after.podsVersion ?? newest]
  return withValues<HintFacts>({
    at: Math.min(before.at, after.at),
    selector: after.selector,
    pods: pods.map((name) => known.get(name) ?? null),
    addsEndpoints: before.addsEndpoints ?? after.addsEndpoints,
    podsVersion: newerOf(seen, alsoSeen) === seen ? alsoSeen : seen,
  })
}

const factsByName = ({ pods = [], facts }: Partial<SyncHint> = {}) =>
  pods.map((name, at) => [name, facts?.pods[at] ?? null] as const)

/** Merges what may be read at once. Of one message alone it is not known how new the Pods must be. */
function mergeReadAhead(one: ReadAhead | undefined, other: ReadAhead | undefined): ReadAhead | undefined {
  const podsVersion = newerOf(one?.podsVersion, other?.podsVersion)
  if (other === undefined || podsVersion === undefined) return undefined
  const ofOne = { slices: undefined, sliceVersions: undefined, selected: undefined }
  return withValues<ReadAhead>({ ...other, ...ofOne, podsVersion })
}

/** Returns the version of a slice in a hint: undefined if it has none; the oldest if it is not named. */
function versionIn({ slices, sliceVersions }: SyncHint, slice: string): string | undefined {
  const index = slices.indexOf(slice)
  return index < 0 ? '0' : sliceVersions?.[index]
}
