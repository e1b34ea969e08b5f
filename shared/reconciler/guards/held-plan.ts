import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_RELEASE,
  overridesRemoval,
  withControls,
} from '../../changes/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { ServiceEvent } from '../service-events.ts'
import { type Changes, isEmpty, NO_CHANGES, updatesOf } from '../slice-changes.ts'
import { checkFights } from './fights/fights.ts'
import type { Finding, Guard, GuardInput } from './guard.ts'
import { allAddresses, readyAddresses, slicesAfter, slicesByName } from './published/published-addresses.ts'
import { ourReadyIn, withoutForeign } from './published/published-annotation.ts'
import {
  ANNOTATION_HELD_SINCE,
  annotationOf,
  byName,
  earliestTime,
  isAlive,
  nameOf,
  timeText,
  withAnnotation,
} from './published/slice-annotations.ts'

/**
 * Holds a plan that removes too much, as a whole, until a person releases it or its expiry. Only endpoints
 * that others wrote into our slices go meanwhile.
 */
export const HELD_GUARD: Guard<'PlanHeld' | 'PlanReleased'> = {
  name: 'held',
  events: {
    PlanHeld: 'a plan removes more than it may, and waits for `sliceflow release` or its expiry',
    PlanReleased: 'a plan that was held is applied',
  },
  check(input, settings) {
    const { planned: changes, now } = input
    const hold = holdOf({ ...input, changes }, settings, now)
    if (hold.kind === 'none') return undefined
    const limit = hold.isOverridden ? `the annotation ${ANNOTATION_MAXIMUM_REMOVAL}` : 'maximumRemoval'
    if (hold.kind === 'released') {
      const why = hold.by === 'command' ? 'it was released' : 'it was held for as long as heldPlanExpiry says'
      const message = `applied the plan that removes more ready endpoints than ${limit} allows: ${why}`
      return {
        count: 0,
        events: [{ type: 'Normal', reason: 'PlanReleased', message }],
        hold: { state: hold.by === 'command' ? 'released' : 'expired' },
      }
    }
    const { removal, since } = hold
    return {
      ...duringHold(hold, input),
      events: [heldEvent(limit, since, input.release, settings)],
      log: { fields: { ...removal, since } },
      hold: { state: 'held', since },
    }
  },
  needsAllEndpoints: ({ maximumRemoval }) => maximumRemoval < 1,
  metric: {
    name: 'sliceflow_held_plans',
    type: 'gauge',
    help: 'Services with a plan that is held because it removes too many ready endpoints',
  },
  alarm: {
    id: 'HeldPlans',
    runbook: 'held-plans',
    meaning: 'a plan that would remove very many ready endpoints is held, and waits for a release.',
    periods: 1,
    bad: 1,
    metric: 'HeldPlans',
    help: 'Syncs of keys of which a plan was held.',
    line: 'plans held',
  },
  problem: {
    kind: 'held plan',
    text: 'a plan is held (sliceflow explain shows it)',
    status: 'with a held plan (sliceflow explain shows it, sliceflow release releases it)',
    command: 'release',
  },
}

function heldEvent(
  limit: string,
  since: string,
  release = 'sliceflow release',
  { heldPlanExpiry }: HoldSettings,
): ServiceEvent<'PlanHeld'> {
  const expiry = heldPlanExpiry === 0 ? '' : `, or after ${heldPlanExpiry} s`
  const message = `the plan would remove more ready endpoints than ${limit} allows: held since ${since} until \`${release}\`${expiry}; the slices stay as they are`
  return { type: 'Warning', reason: 'PlanHeld', message }
}

/** Returns the hold's note, and slices without endpoints that others added, unless that is a fight. */
function duringHold(
  hold: Hold & { readonly kind: 'held' },
  { planned, slices, now }: Pick<GuardInput, 'planned' | 'slices' | 'now'>,
): Required<Pick<Finding, 'instead' | 'fights'>> {
  const before = slicesByName(slices)
  const stay = allAddresses(slicesAfter(before, planned))
  const mended = [...before.values()].flatMap((slice) => withoutForeign(slice, stay) ?? [])
  const { changes, fights } = checkFights(updatesOf(mended), { slices, losses: undefined, now })
  const excluded = new Set(fights.flatMap((fight) => fight.slices))
  const mends = slicesByName(changes.update.filter((slice) => !excluded.has(nameOf(slice))))
  const noted = hold.changes.update.map((slice) =>
    withAnnotation(mends.get(nameOf(slice)) ?? slice, ANNOTATION_HELD_SINCE, hold.since),
  )
  const written = new Map([...mends, ...slicesByName(noted)])
  return { instead: updatesOf([...written.values()]), fights }
}

/** Effect of a plan on a Service's ready addresses, over all of its slices and address types. */
interface Removal {
  /** Ready ones before that we published: what others wrote into our slices is theirs to lose. */
  readonly ready: number
  /** Number of addresses fewer than before. Addresses that replace others make up for them. */
  readonly lost: number
}

/** @param leftOut addresses that are left out on purpose: those that go are no loss */
export function removalOf(
  slices: readonly EndpointSlice[],
  changes: Changes,
  leftOut: ReadonlySet<string> = new Set(),
): Removal {
  const before = slicesByName(slices)
  const after = slicesAfter(before, changes)
  const planned = allAddresses(after)
  const readyAfter = readyAddresses(after)
  const ours = new Set([...before.values()].flatMap((slice) => [...ourReadyIn(slice, planned)]))
  const ready = [...ours].filter((address) => readyAfter.has(address) || !leftOut.has(address)).length
  return { ready, lost: Math.max(0, ready - readyAfter.size) }
}

type RemovalLimits = Pick<Settings, 'maximumRemoval' | 'maximumRemovalCount'>

/** Reports whether a removal exceeds both limits, the share and the count. */
export const isExcessive = (
  { ready, lost }: Removal,
  { maximumRemoval, maximumRemovalCount }: RemovalLimits,
): boolean => lost > maximumRemovalCount && lost > ready * maximumRemoval

type HoldSettings = RemovalLimits & Pick<Settings, 'heldPlanExpiry'>

interface PlanToHold {
  readonly service: Service
  /** The slices as they were read. */
  readonly slices: readonly EndpointSlice[]
  readonly changes: Changes
  /** Addresses that are left out on purpose, as `type/address`. */
  readonly leftOut?: ReadonlySet<string>
}

/** Decision about a plan that may remove too much. */
type Hold =
  /** It does not; what was held before is over. */
  | { readonly kind: 'none' }
  /** It does, and was released, or has waited long enough. */
  | {
      readonly kind: 'released'
      readonly removal: Removal
      readonly by: 'command' | 'expiry'
      /** The Service says itself how much may be removed. */
      readonly isOverridden?: true
    }
  /** Nothing of it is written but the note that it is held. */
  | ({
      readonly kind: 'held'
      readonly removal: Removal
      readonly isOverridden?: true
    } & HoldNote)

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
  const limits = withControls(service, settings)
  // Counting is not free, and without a limit nothing is excessive.
  if (limits.maximumRemoval >= 1 || isEmpty(changes)) return { kind: 'none' }
  const removal = removalOf(slices, changes, leftOut)
  if (!isExcessive(removal, limits)) return { kind: 'none' }
  const of = { removal, ...(overridesRemoval(service) && { isOverridden: true as const }) }
  const note = holdNote(service, slices, now)
  if (note === undefined) return { kind: 'released', ...of, by: 'command' }
  const { heldPlanExpiry } = limits
  const isOver = heldPlanExpiry > 0 && now - Date.parse(note.since) >= heldPlanExpiry * 1000
  return isOver ? { kind: 'released', ...of, by: 'expiry' } : { kind: 'held', ...of, ...note }
}

/** Since when something is held. */
export interface HoldNote {
  /** RFC 3339; a release names it. */
  readonly since: string
  /** The note, unless it is written: on the first slice by name, so that two workers collide. */
  readonly changes: Changes
}

/** @returns `undefined` where a person has released what is held since then */
export function holdNote(
  { metadata }: Service,
  slices: readonly EndpointSlice[],
  now: number,
): HoldNote | undefined {
  const since = heldSince(slices, now)
  if (since !== undefined)
    return metadata?.annotations?.[ANNOTATION_RELEASE] === since ? undefined : { since, changes: NO_CHANGES }
  const begin = timeText(now)
  const [first] = slices.filter(isAlive).sort(byName)
  const noted = first === undefined ? [] : [withAnnotation(first, ANNOTATION_HELD_SINCE, begin)]
  return { since: begin, changes: updatesOf(noted) }
}

/** Returns since when a plan is held, by the slices' notes, as RFC 3339. A release names this time. */
export function heldSince(slices: readonly EndpointSlice[], now: number): string | undefined {
  const time = earliestTime(slices, ANNOTATION_HELD_SINCE, now)
  return time === undefined ? undefined : timeText(time)
}

/** Deletes slices with the note last. Otherwise a released plan of which a part fails would be held again. */
export const deletesNotesLast = (changes: Changes): Changes => ({
  ...changes,
  delete: [...changes.delete].sort((a, b) => Number(isNote(a)) - Number(isNote(b))),
})

const isNote = (slice: EndpointSlice): boolean => annotationOf(slice, ANNOTATION_HELD_SINCE) !== undefined
