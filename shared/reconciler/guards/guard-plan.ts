import { withControls } from '../../changes/index.ts'
import type { EndpointSlice, Service, SlicePlan } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import { type Changes, updatesOf } from '../slice-changes.ts'
import type { Repairs } from './fights/index.ts'
import { checkFights, type Fight } from './fights/index.ts'
import { deletesNotesLast, type Hold, type HoldSettings, holdOf } from './held-plan.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_UNVERIFIED_SINCE,
  allAddresses,
  annotationOf,
  isAlive,
  nameOf,
  safePart,
  slicesAfter,
  slicesByName,
  withAnnotation,
  withoutForeign,
  withRecord,
} from './published/index.ts'
import { type SecondController, secondControllerAmong, writersOf } from './second-controller.ts'

export type GuardSettings = HoldSettings & Pick<Settings, 'maximumEndpoints' | 'maximumWrites'>

export interface GuardInput {
  readonly service: Service
  /** The slices as they were read. */
  readonly slices: readonly EndpointSlice[]
  readonly planned: SlicePlan
  /** Addresses, as `type/address`, that take connections and that a policy leaves out: they are no loss. */
  readonly leftOut?: ReadonlySet<string>
  /** Number of times in a row that slices of the Service were deleted. */
  readonly losses: Repairs | undefined
  /** Time at which the process began, in milliseconds since the epoch; default: it is not known. */
  readonly startedAt?: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface GuardedPlan {
  /** Writes that are allowed now. */
  readonly changes: Changes
  readonly hold: Hold
  readonly fights: readonly Fight[]
  /** Writes that wait for the next sync, beside those that are left to a fight. */
  readonly postponed: number
  /** Absent where only we write the slices. It keeps nothing from being written. */
  readonly secondController?: SecondController
}

/**
 * Decides which part of a plan may be written. plan() knows nothing of this; by default all of it may.
 * 1. Nothing is written for a Service that would have too many endpoints.
 * 2. A plan that removes too much is held as a whole. Only endpoints that others wrote into our slices go.
 * 3. Slices that others keep changing are left alone for a while.
 * 4. A plan that is too large is written in parts, so that no endpoint is missing meanwhile.
 * 5. Notes on slices are taken off once their reason is gone.
 * 6. If a removal may be held, the slices that are written say which addresses are ours.
 */
export function guardPlan(input: GuardInput, settings: GuardSettings): GuardedPlan {
  const { slices, planned, now, startedAt: since } = input
  const secondController = secondControllerAmong(
    slices.map((slice) => writersOf(slice, { now, since, planned })),
  )
  return { ...allowedPart(input, settings), ...(secondController && { secondController }) }
}

function allowedPart({ planned, ...input }: GuardInput, settings: GuardSettings): GuardedPlan {
  const { service, slices, leftOut, losses, now } = input
  // 1.
  const { endpointsDesired: endpoints } = planned.stats
  if (settings.maximumEndpoints > 0 && endpoints > settings.maximumEndpoints)
    return {
      changes: { create: [], update: [], delete: [] },
      hold: { kind: 'oversized', endpoints },
      fights: [],
      postponed: 0,
    }
  // 2.
  const hold = holdOf({ service, slices, changes: planned, ...(leftOut && { leftOut }) }, settings, now)
  if (hold.kind === 'held') return { ...duringHold(hold, planned, input), hold, postponed: 0 }
  // 3.
  const { changes, fights } = checkFights(planned, { slices, losses, now })
  const excluded = new Set(fights.flatMap((fight) => fight.slices))
  // 4.
  const maximumWrites = settings.maximumWrites === 0 ? Number.POSITIVE_INFINITY : settings.maximumWrites
  const part = safePart(slices, deletesNotesLast(changes), { maximumWrites, excluded })
  // 5.
  const stale = [ANNOTATION_UNVERIFIED_SINCE, ...(hold.kind === 'none' ? [ANNOTATION_HELD_SINCE] : [])]
  const notes = noteRemovals(slices, changes, stale)
  const room = maximumWrites - sizeOf(part.changes)
  const update = [...part.changes.update.map((slice) => withoutNotes(slice, stale)), ...notes.slice(0, room)]
  // 6..
  const recorded = (some: readonly EndpointSlice[]): EndpointSlice[] =>
    withControls(service, settings).maximumRemoval < 1 ? some.map(withRecord) : [...some]
  return {
    changes: {
      create: recorded(part.changes.create),
      update: recorded(update),
      delete: part.changes.delete,
    },
    hold,
    fights,
    postponed: part.postponed - excluded.size + Math.max(0, notes.length - room),
  }
}

/**
 * Returns the note of the hold, and slices without the endpoints that others wrote into them, unless that is
 * a fight.
 */
function duringHold(
  hold: Hold & { readonly kind: 'held' },
  planned: SlicePlan,
  { slices, now }: Pick<GuardInput, 'slices' | 'now'>,
): Pick<GuardedPlan, 'changes' | 'fights'> {
  const before = slicesByName(slices)
  const cache = allAddresses(slicesAfter(before, planned))
  const mended = [...before.values()].flatMap((slice) => withoutForeign(slice, cache) ?? [])
  const mending = updatesOf(mended)
  const { changes, fights } = checkFights(mending, { slices, losses: undefined, now })
  const excluded = new Set(fights.flatMap((fight) => fight.slices))
  const mends = new Map(
    changes.update.filter((slice) => !excluded.has(nameOf(slice))).map((slice) => [nameOf(slice), slice]),
  )
  const noted = hold.changes.update.map((slice) =>
    withAnnotation(mends.get(nameOf(slice)) ?? slice, ANNOTATION_HELD_SINCE, hold.since),
  )
  for (const slice of noted) mends.set(nameOf(slice), slice)
  return { changes: updatesOf([...mends.values()]), fights }
}

const sizeOf = (changes: Changes): number =>
  changes.create.length + changes.update.length + changes.delete.length

/** Takes stale notes off the slices that the plan leaves as they are. */
function noteRemovals(
  slices: readonly EndpointSlice[],
  changes: Changes,
  stale: readonly string[],
): EndpointSlice[] {
  const planned = new Set([...changes.update, ...changes.delete].map(nameOf))
  return slices
    .filter((slice) => isAlive(slice) && !planned.has(nameOf(slice)))
    .filter((slice) => stale.some((name) => annotationOf(slice, name) !== undefined))
    .map((slice) => withoutNotes(slice, stale))
}

const withoutNotes = (slice: EndpointSlice, stale: readonly string[]): EndpointSlice =>
  stale.reduce(
    (without, name) =>
      annotationOf(without, name) === undefined ? without : withAnnotation(without, name, undefined),
    slice,
  )
