import { type KeyText, keyText, writerName } from '../changes/index.ts'
import { type ClusterSet, clusterSetIn, findSet, membersDigest } from '../cluster-sets/index.ts'
import { NotFoundError } from '../kubernetes/index.ts'
import type { Reconcile } from '../queue/consumer/index.ts'
import { type KeyMessage, mergeMessages, withoutVersions } from '../queue/index.ts'
import {
  CONFLICT_ATTEMPTS,
  conflictDelayMs,
  createGuards,
  OwnerReader,
  PersistentConflictError,
  SliceFightError,
  wallClock,
} from '../reconciler/index.ts'
import { errorMessage, SingleFlight } from '../values/index.ts'
import type { FleetContext, FleetReconcilerOptions } from './fleet-context.ts'
import { importFightEvent, recordImportEvents } from './fleet-events.ts'
import { createFleetShadow } from './fleet-shadow.ts'
import { isConflict, SliceConflictError } from './import/sync-slices.ts'
import { createFleetCache } from './read/fleet-cache.ts'
import { createFleetMembers } from './read/fleet-members.ts'
import { type FleetMembers, readFleet } from './read/fleet-state.ts'
import { type FleetSync, syncFleetService } from './sync-fleet-service.ts'

/** Clusters of a set could not be brought up to date. */
class FleetSyncError extends AggregateError {
  override readonly name = 'FleetSyncError'
}

/**
 * Brings one Service of a cluster set up to date in every cluster, from what their API servers say: reads,
 * merges, plans and writes, each write on condition that the object is as it was read. What changes meanwhile
 * comes back as a change, as the relay sees all that was written.
 */
export const createFleetReconciler = (options: FleetReconcilerOptions): Reconcile =>
  options.settings.shadow ? createFleetShadow(options) : createWritingReconciler(options)

function createWritingReconciler({
  sets,
  clientOf,
  settings,
  logger,
  onReconciled,
  onFailed,
  clock = wallClock,
}: FleetReconcilerOptions): Reconcile {
  const runs = new SingleFlight<KeyText, KeyMessage>(mergeMessages)
  const guards = createGuards(settings, clock.now)
  const members = createFleetMembers(clientOf, clock.now, logger)
  const cache = createFleetCache(clock.now)

  const owners = new OwnerReader(clock.now)

  async function reconcile(key: KeyMessage, signal: AbortSignal): Promise<void> {
    const { namespace, service: name, triggerTime } = key
    const set = clusterSetIn(findSet(sets(), key), namespace)
    if (set === undefined) return
    const taken = new Set<string>()
    const common = {
      ...{ set: set.name, namespace, name, triggerTime, logger, now: clock.now },
      // Members, their ids and roles decide what is written as settings do.
      guards: { ...guards, writer: writerName(guards.writer, membersDigest(set)) },
      owners,
      clusterSelection: set.clusterSelection ?? false,
      settings: { ...settings, ...set.unreachable },
    }
    const written = { created: 0, updated: 0, deleted: 0 }
    for (let attempts = 1; attempts <= CONFLICT_ATTEMPTS; attempts++) {
      signal.throwIfAborted()
      const sync = await attempt(set, key, attempts === 1, { ...common, taken, signal })
      addWritten(written, sync)
      const conflicts = [...sync.failures.values()].filter(isConflict)
      if (conflicts.length === 0) {
        conclude(key, sync)
        onReconciled?.({ key, ...written, attempts, fleet: sync.summary })
        return
      }
      for (const name of conflicts.flatMap(takenBy)) taken.add(name)
      await clock.pause(conflictDelayMs(attempts), signal)
    }
    throw new PersistentConflictError(
      `failed to reconcile Service ${namespace}/${name} of cluster set ${set.name}: its objects changed during each of ${CONFLICT_ATTEMPTS} attempts`,
    )
  }

  async function attempt(
    set: ClusterSet,
    key: KeyMessage,
    mayUseCache: boolean,
    context: FleetContext,
  ): Promise<FleetSync> {
    const names = new Map(set.members.map(({ id, cluster }) => [id, cluster]))
    const cached = mayUseCache ? cache.find(key, names) : undefined
    cache.forget(key)
    const found = await members.of(set, context.signal)
    const state = await readFleet(found, cached, cached && key.fleetVersions, context)
    const sync = await syncFleetService(state, { ...context, mayBeMissed: missedMembers(set, found) })
    await recordAllImportEvents(set, sync, context)
    if (sync.failures.size === 0) cache.keep(key, sync.after)
    // The API is not served any more, or by another version.
    for (const [id, error] of sync.failures)
      if (error instanceof NotFoundError) members.forgetVersion(set, id)
    return sync
  }

  /** Puts Events on the imports after each attempt, as the next one finds outages reported. */
  async function recordAllImportEvents(
    set: ClusterSet,
    { outcomes }: FleetSync,
    context: FleetContext,
  ): Promise<void> {
    for (const { id, cluster } of set.members) {
      const { state, events = [], fights = [] } = outcomes.get(id) ?? {}
      const all = [...events, ...fights.map(importFightEvent)]
      if (state?.import !== undefined) await recordImportEvents(clientOf(cluster), state.import, all, context)
    }
  }

  return async (key, { signal, receiveCount }) => {
    // One that comes again stands for later ones, which were dropped in an outage: its versions are outdated.
    const asked = receiveCount > 1 ? withoutVersions(key) : key
    try {
      await runs.run(keyText(key), asked, (merged) => reconcile(merged, signal))
    } catch (error) {
      onFailed?.(key, error)
      throw error
    }
  }
}

/**
 * Reports which clusters may be there though they are not read: a search by tags may miss one, a server that
 * starts may not name the API yet, and a name may lead to the server of another member for a moment.
 */
function missedMembers(
  { members, isDiscovered }: ClusterSet,
  { importing, exporting, refused }: FleetMembers,
): (id: string) => boolean {
  const read = new Set([...[...importing, ...exporting].map(({ member }) => member.id), ...refused.keys()])
  return (id) => !read.has(id) && (isDiscovered || members.some((member) => member.id === id))
}

function addWritten(
  sum: { created: number; updated: number; deleted: number },
  { outcomes }: FleetSync,
): void {
  for (const { created, updated, deleted } of outcomes.values()) {
    sum.created += created
    sum.updated += updated
    sum.deleted += deleted
  }
}

/**
 * Fails the key as well where a cluster cannot be reached, whatever was done about its endpoints elsewhere:
 * the relay sends keys for an outage that was long, and for no shorter one.
 * @throws FleetSyncError @throws SliceFightError
 */
function conclude({ namespace, service, cluster }: KeyMessage, sync: FleetSync): void {
  const what = `${namespace}/${service} of ${cluster}`
  const failures = new Map([...sync.failures, ...sync.unreached])
  if (failures.size > 0) {
    const [[id, error] = ['', undefined]] = failures
    const reason = errorMessage(error)
    throw new FleetSyncError(
      [...failures.values()],
      `failed to bring Service ${what} up to date in ${[...failures.keys()].sort().join(', ')}; of ${id}: ${reason}`,
    )
  }
  if (sync.fights.length > 0) throw new SliceFightError(what, sync.fights)
}

const takenBy = (error: unknown): string[] =>
  error instanceof SliceConflictError && error.taken !== undefined ? [error.taken] : []
