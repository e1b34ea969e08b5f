import type { EndpointSlice, Service, SlicePlan } from '../../../shared/endpointslice/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import type { Changes } from '../write-slices.ts'
import { checkFights, type Fight } from './fights.ts'
import { deletesNotesLast, type Hold, type HoldSettings, holdOf } from './held-plan.ts'
import type { Repairs } from './repairs.ts'
import { safePart } from './safe-part.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  isAlive,
  nameOf,
  withAnnotation,
} from './slice-annotations.ts'

export type GuardSettings = HoldSettings & Pick<Settings, 'maximumWrites'>

export interface GuardInput {
  readonly service: Service
  /** As they were read. */
  readonly slices: readonly EndpointSlice[]
  readonly planned: SlicePlan
  /** How often slices of the Service were lost in a row. */
  readonly losses: Repairs | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface GuardedPlan {
  /** What may be written now. */
  readonly changes: Changes
  readonly hold: Hold
  readonly fights: readonly Fight[]
  /** Writes that wait for the next look, beside those that are left to a fight. */
  readonly postponed: number
}

/**
 * What of a plan may be written. plan() knows nothing of this: by default all of it may.
 * 1. A plan that takes too much away is held as a whole.
 * 2. Slices that others keep changing are left alone for a while.
 * 3. A plan that is too large is written in part, so that no endpoint is missing meanwhile.
 * 4. Notes on slices whose reason is gone are taken off.
 */
export function guardPlan({ planned, ...input }: GuardInput, settings: GuardSettings): GuardedPlan {
  const { service, slices, losses, now } = input
  // 1.
  const hold = holdOf({ service, slices, changes: planned }, settings, now)
  if (hold.kind === 'held') return { changes: hold.changes, hold, fights: [], postponed: 0 }
  // 2.
  const { changes, fights } = checkFights(planned, { slices, losses, now })
  const excluded = new Set(fights.flatMap((fight) => fight.slices))
  // 3.
  const maximumWrites = settings.maximumWrites === 0 ? Number.POSITIVE_INFINITY : settings.maximumWrites
  const part = safePart(slices, deletesNotesLast(changes), { maximumWrites, excluded })
  // 4.
  const stale = [ANNOTATION_UNVERIFIED_SINCE, ...(hold.kind === 'none' ? [ANNOTATION_HELD_SINCE] : [])]
  const notes = noteRemovals(slices, changes, stale)
  const room = maximumWrites - sizeOf(part.changes)
  const update = [...part.changes.update.map((slice) => withoutNotes(slice, stale)), ...notes.slice(0, room)]
  return {
    changes: { create: part.changes.create, update, delete: part.changes.delete },
    hold,
    fights,
    postponed: part.postponed - excluded.size + Math.max(0, notes.length - room),
  }
}

const sizeOf = (changes: Changes): number =>
  changes.create.length + changes.update.length + changes.delete.length

/** Of slices that the plan leaves as they are. */
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
