import { ANNOTATION_RELEASE, overridesRemoval, withControls } from '../../changes/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import { type Changes, isEmpty, updatesOf } from '../slice-changes.ts'
import {
  ANNOTATION_HELD_SINCE,
  annotationOf,
  byName,
  earliestTime,
  isAlive,
  timeText,
  withAnnotation,
} from './published/index.ts'
import { isExcessive, type Removal, type RemovalLimits, removalOf } from './removal.ts'

export type HoldSettings = RemovalLimits & Pick<Settings, 'heldPlanExpiry'>

export interface PlanToHold {
  readonly service: Service
  /** The slices as they were read. */
  readonly slices: readonly EndpointSlice[]
  readonly changes: Changes
  /** Addresses that are left out on purpose, as `type/address`. */
  readonly leftOut?: ReadonlySet<string>
}

/** Decision about a plan that removes much, or would publish too much. */
export type Hold =
  /** It does not; what was held before is over. */
  | { readonly kind: 'none' }
  /** The Service would have more endpoints than `maximumEndpoints`; nothing of the plan is written. */
  | { readonly kind: 'oversized'; readonly endpoints: number }
  /** It does, and was released, or has waited long enough. */
  | {
      readonly kind: 'released'
      readonly removal: Removal
      readonly by: 'command' | 'expiry'
      /** The Service says itself how much may be removed. */
      readonly isOverridden?: true
    }
  /** Nothing of it is written but the note that it is held. */
  | {
      readonly kind: 'held'
      readonly removal: Removal
      readonly isOverridden?: true
      /** RFC 3339; a release names it. */
      readonly since: string
      /** The note, where it is not written yet. */
      readonly changes: Changes
    }

/**
 * Decides whether a plan is held. Functions remember nothing, so that an annotation on one of the slices says
 * since when. The whole plan is held: after a wrong selector or a false alarm the endpoints that it adds are
 * as doubtful as those that it removes. Once what it adds makes up for the loss, it is held no longer.
 */
export function holdOf(
  { service, slices, changes, leftOut }: PlanToHold,
  settings: HoldSettings,
  now: number,
): Hold {
  const { heldPlanExpiry, ...limits } = withControls(service, settings)
  // Counting is not free, and without a limit nothing is excessive.
  if (limits.maximumRemoval >= 1 || isEmpty(changes)) return { kind: 'none' }
  const removal = removalOf(slices, changes, leftOut)
  if (!isExcessive(removal, limits)) return { kind: 'none' }
  const of = { removal, ...(overridesRemoval(service) && { isOverridden: true as const }) }
  const since = heldSince(slices, now)
  if (since === undefined)
    return { kind: 'held', ...of, since: timeText(now), changes: noteHold(slices, now) }
  if (isReleased(service, since)) return { kind: 'released', ...of, by: 'command' }
  const isOver = heldPlanExpiry > 0 && now - Date.parse(since) >= heldPlanExpiry * 1000
  if (isOver) return { kind: 'released', ...of, by: 'expiry' }
  return { kind: 'held', ...of, since, changes: { create: [], update: [], delete: [] } }
}

/** Reports whether a person has released the plan that is held since then. */
export const isReleased = (service: Service, since: string): boolean =>
  service.metadata?.annotations?.[ANNOTATION_RELEASE] === since

/**
 * Returns since when a plan is held, by the notes on these slices, as RFC 3339. A release names this time.
 */
export function heldSince(slices: readonly EndpointSlice[], now: number): string | undefined {
  const time = earliestTime(slices, ANNOTATION_HELD_SINCE, now)
  return time === undefined ? undefined : timeText(time)
}

/** Puts the note on the first slice by name, so that two workers collide instead of both writing. */
export function noteHold(slices: readonly EndpointSlice[], now: number): Changes {
  const [first] = slices.filter(isAlive).sort(byName)
  const update = first === undefined ? [] : [withAnnotation(first, ANNOTATION_HELD_SINCE, timeText(now))]
  return updatesOf(update)
}

/**
 * Deletes slices with the note last. Otherwise a released plan that is written in parts would be held again.
 */
export const deletesNotesLast = (changes: Changes): Changes => ({
  ...changes,
  delete: [...changes.delete].sort((a, b) => Number(isNote(a)) - Number(isNote(b))),
})

const isNote = (slice: EndpointSlice): boolean => annotationOf(slice, ANNOTATION_HELD_SINCE) !== undefined
