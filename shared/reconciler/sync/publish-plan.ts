import { keyText, ownerText } from '../../changes/index.ts'
import type { ApplyResult, EndpointSlice, Service, SlicePlan } from '../../endpointslice/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { contestOf } from '../guards/fights/contests.ts'
import { type Fight, SliceFightError } from '../guards/fights/fights.ts'
import { type GuardedPlan, guardPlan, isBlocked } from '../guards/guard-plan.ts'
import { summaryOf } from '../plan/plan-service.ts'
import { type Changes, NO_CHANGES } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import type { SyncInputs } from '../verify-after-write.ts'
import { guardsSaid } from '../write/recorded-slice-client.ts'
import type { PlanBasis } from '../write/removal-causes.ts'
import { stateAfter } from '../write/state-cache.ts'
import type { KeySync } from './key-sync.ts'

/** The plan of a whole Service, whatever its endpoints come from. */
interface PlanToPublish {
  readonly service: Service
  /** The slices that it was made of. */
  readonly slices: readonly EndpointSlice[]
  readonly planned: SlicePlan
  readonly basis: PlanBasis
  /** Object that the slices follow from; if it changed, they may have been deleted rightly. Absent: none. */
  readonly owner: Pick<Service, 'metadata'> | undefined
  /** Records what the plan was made of, once it is written. */
  readonly inputsOf: (changes: Changes, result: ApplyResult) => SyncInputs | undefined
}

/**
 * Steps 4 to 6 of a full sync: guard, write, report.
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export async function publishPlan(sync: KeySync, plan: PlanToPublish, purpose: Purpose): Promise<SyncResult> {
  const { key, settings, guards, cache, reporter, writer } = sync
  const { service, slices, planned, basis, owner, inputsOf } = plan
  // Synced once more after writing, there is nothing new to report.
  if (purpose !== 'compare') reporter.skipped(planned.skipped)
  // 4.
  const of = owner && { cluster: key.cluster, owner }
  const losses = of && guards.lost.repairsOf(of, slices)
  const { startedAt } = guards
  const now = guards.now()
  const release = releaseOf(key)
  const input = { service, slices, planned, losses, startedAt, now, ...(release && { release }) }
  const allowed = guardPlan(input, settings)
  const contest = contestOf(keyText(key), slices, allowed.changes, guards.writer)
  const guarded = withoutContested(allowed, guards.contests.fight(contest))
  // 5. A note alone keeps the seal that the slice has, and so the trace of an edit that was not mended.
  const isSealed = !isBlocked(guarded.findings)
  const written = { isSealed, purpose, read: slices, basis, ...guardsSaid(guarded) }
  const result = await writer.write(guarded.changes, written)
  if (purpose === 'compare' || result.outdated !== undefined) return result
  if (of !== undefined) guards.lost.wrote(of, slices, result)
  // 6.
  if (result.conflict !== undefined) return { ...result, planned: summaryOf(service, planned) }
  guards.contests.wrote(contest)
  cache.keep(key, stateAfter(service, slices, result))
  const concluded = await conclude(sync, plan, { guarded, result })
  const inputs = inputsOf(guarded.changes, result)
  return { ...concluded, inputs }
}

async function conclude(
  { key, reporter }: KeySync,
  { service, planned }: PlanToPublish,
  { guarded, result }: { readonly guarded: GuardedPlan; readonly result: ApplyResult },
): Promise<SyncResult> {
  const { fights } = guarded
  const summary = await reporter.guarded(service, planned, guarded)
  const name = `${ownerText(key)} of cluster ${key.cluster}`
  return {
    ...result,
    planned: summaryOf(service, planned, summary.isBlocked),
    guarded: summary,
    ...(fights.length > 0 && { fight: new SliceFightError(name, fights) }),
  }
}

/** Returns the command that releases a held plan, if it is not `sliceflow release`. */
const releaseOf = ({ ownerKind, namespace, service }: KeyMessage): string | undefined =>
  ownerKind && `sliceflow release ${ownerKind.toLowerCase()}/${namespace}/${service}`

/** Leaves the whole plan alone where another Sliceflow undoes it. */
const withoutContested = (plan: GuardedPlan, fight: Fight | undefined): GuardedPlan =>
  fight === undefined ? plan : { ...plan, changes: NO_CHANGES, fights: [...plan.fights, fight] }
