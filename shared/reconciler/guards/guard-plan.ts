import { withControls } from '../../changes/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { Changes } from '../slice-changes.ts'
import { checkFights, type Fight } from './fights/fights.ts'
import type { Finding, GuardInput, GuardSettings, GuardSummary } from './guard.ts'
import { GUARDS } from './guard-list.ts'
import { deletesNotesLast } from './held-plan.ts'
import { withRecord } from './published/published-annotation.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  isAlive,
  nameOf,
  withAnnotation,
} from './published/slice-annotations.ts'
import { withoutSlices } from './published/subset-of-writes.ts'

/** What the guard of this name has to say. */
export interface GuardFinding extends Finding {
  readonly guard: string
}

export interface GuardedPlan {
  /** Writes that are allowed now. */
  readonly changes: Changes
  readonly findings: readonly GuardFinding[]
  readonly fights: readonly Fight[]
}

/** Asks the guards about a plan, up to the one that blocks it. */
export function checkPlan(input: GuardInput, settings: GuardSettings): GuardFinding[] {
  const findings: GuardFinding[] = []
  for (const guard of GUARDS) {
    const finding = guard.check?.(input, settings)
    if (finding !== undefined) findings.push({ guard: guard.name, ...finding })
    if (finding?.instead !== undefined) break
  }
  return findings
}

export const isBlocked = (findings: readonly Finding[]): boolean =>
  findings.some(({ instead }) => instead !== undefined)

/** Reports whether a plan is written that was held before. */
const isReleased = (findings: readonly Finding[]): boolean =>
  findings.some(({ hold, instead }) => hold !== undefined && instead === undefined)

/**
 * Decides which part of a plan may be written. plan() knows nothing of this; by default all of it may.
 * 1. A guard of {@link GUARDS} may block the plan as a whole.
 * 2. Slices that others keep changing are left alone for a while, with what would take an endpoint away that
 *    is to come into one of them.
 * 3. Notes on slices are taken off once their reason is gone.
 * 4. If a removal may be held, the slices that are written say which addresses are ours.
 */
export function guardPlan(input: GuardInput, settings: GuardSettings): GuardedPlan {
  const { service, slices, planned, losses, now } = input
  // 1.
  const findings = checkPlan(input, settings)
  const blocking = findings.find(({ instead }) => instead !== undefined)
  if (blocking?.instead !== undefined)
    return { changes: blocking.instead, findings, fights: blocking.fights ?? [] }
  // 2.
  const { changes, fights } = checkFights(planned, { slices, losses, now })
  const excluded = new Set(fights.flatMap((fight) => fight.slices))
  const part = withoutSlices(slices, deletesNotesLast(changes), excluded)
  // 3.
  const stale = [ANNOTATION_UNVERIFIED_SINCE, ...(isReleased(findings) ? [] : [ANNOTATION_HELD_SINCE])]
  const notes = noteRemovals(slices, changes, stale)
  const update = [...part.update.map((slice) => withoutNotes(slice, stale)), ...notes]
  // 4.
  const recorded = (some: readonly EndpointSlice[]): EndpointSlice[] =>
    withControls(service, settings).maximumRemoval < 1 ? some.map(withRecord) : [...some]
  return {
    changes: {
      create: recorded(part.create),
      update: recorded(update),
      delete: part.delete,
    },
    findings,
    fights,
  }
}

/** Returns what the guards found in a plan, for those who count it. */
export const summarize = ({ findings }: Pick<GuardedPlan, 'findings'>): GuardSummary => {
  const secondController = findings.find((finding) => finding.secondController)?.secondController
  return {
    acted: Object.fromEntries(
      findings.flatMap(({ guard, count = 1 }) => (count > 0 ? [[guard, count]] : [])),
    ),
    isBlocked: isBlocked(findings),
    ...(isReleased(findings) && { isReleased: true }),
    ...(secondController && { secondController }),
  }
}

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
