import { type ClusterSet, type ClusterSetMember, clusterSetIn } from '../cluster-sets/index.ts'
import type { ApiClient } from '../kubernetes/index.ts'
import { createGuards, OwnerReader, type RecordedWrite, recordingClient } from '../reconciler/index.ts'
import type { Log } from '../telemetry/index.ts'
import type { FleetContext, FleetSettings } from './fleet-context.ts'
import type { ImportOutcome } from './import/sync-import.ts'
import { mergeExports } from './merging/merge-exports.ts'
import type { Merge } from './merging/merged-service.ts'
import { servedVersion } from './read/find-served.ts'
import { ClusterSetMemberError, membersByRole } from './read/fleet-members.ts'
import { type Reading, readFleet } from './read/fleet-state.ts'
import type { ExportState, FleetCluster, ImportState } from './read/read-fleet.ts'
import { mergeState, syncFleetService } from './sync-fleet-service.ts'

export interface FleetDryRunOptions {
  readonly set: ClusterSet
  readonly namespace: string
  readonly name: string
  /** The client of a cluster by its name. Nothing but reads is sent. */
  readonly clientOf: (cluster: string) => ApiClient
  readonly settings: FleetSettings
  readonly logger: Log
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** State of a Service of a cluster set, and what a reconcile would make of it. */
export interface FleetDryRun {
  readonly merge: Merge
  /** In the order of the set. */
  readonly members: readonly MemberDryRun[]
}

export interface MemberDryRun {
  readonly member: ClusterSetMember
  /** False where the cluster does not serve the API; such a member neither exports nor imports. */
  readonly isServed: boolean
  /** Absent of a member that does not export. */
  readonly exports?: Reading<ExportState>['result']
  /** Import as it was read; absent of a member that does not import. */
  readonly imports?: Reading<ImportState>['result']
  /** Result of the import; absent where it failed or could not be read. */
  readonly outcome?: ImportOutcome
  /** Reason why the member could not be brought up to date. */
  readonly failure?: unknown
  /** Writes that a reconcile would make there, in its order. */
  readonly writes: readonly RecordedWrite[]
}

/**
 * Runs a reconcile of one Service of a set whose writes are noted instead of sent: what it read, what it made
 * of that, and what it would write. A namespace that the set does not share is treated as if it had no
 * exports: nothing is read.
 */
export async function dryRunFleetSync(options: FleetDryRunOptions): Promise<FleetDryRun> {
  const { namespace, name, settings, logger, signal, now } = options
  const set = clusterSetIn(options.set, namespace)
  if (set === undefined) {
    const members = options.set.members.map((member) => ({ member, isServed: true, writes: [] }))
    return { merge: mergeExports([]), members }
  }
  const writes = new Map<string, RecordedWrite[]>(set.members.map(({ id }) => [id, []]))
  const clusters = await findClusters({ ...options, set }, (id, write) => writes.get(id)?.push(write))
  const context: FleetContext = {
    ...{ set: set.name, namespace, name, logger, signal, now },
    clusterSelection: set.clusterSelection ?? false,
    settings: { ...settings, ...set.unreachable },
    triggerTime: undefined,
    guards: createGuards(settings, now),
    owners: new OwnerReader(now),
    taken: new Set(),
  }
  const refused = set.members.flatMap(({ id, problem }) =>
    problem === undefined ? [] : [[id, new ClusterSetMemberError(problem)] as const],
  )
  const state = await readFleet(membersByRole(clusters, new Map(refused)), undefined, undefined, context)
  const { outcomes, failures } = await syncFleetService(state, context)
  const served = new Set(clusters.map(({ member }) => member.id))
  return {
    merge: mergeState(state, context).merge,
    members: set.members.map((member): MemberDryRun => {
      const { id } = member
      const [exports, imports, outcome] = [state.exports.get(id), state.imports.get(id), outcomes.get(id)]
      return {
        member,
        isServed: served.has(id),
        exports: exports?.result,
        imports: imports?.result,
        outcome,
        failure: failures.get(id),
        writes: writes.get(id) ?? [],
      }
    }),
  }
}

/** Finds the clusters that serve the API, or do not say so: reads of the latter fail, and say why. */
async function findClusters(
  { set, clientOf, signal }: FleetDryRunOptions,
  record: (id: string, write: RecordedWrite) => void,
): Promise<FleetCluster[]> {
  const found = await Promise.all(
    set.members.map(async (member): Promise<FleetCluster | undefined> => {
      if (member.problem !== undefined) return undefined
      const client = recordingClient(clientOf(member.cluster), (write) => record(member.id, write))
      try {
        const version = await servedVersion(client, signal)
        return version && { member, client, version }
      } catch (error) {
        signal.throwIfAborted()
        const fail = async (): Promise<never> => {
          throw error
        }
        return { member, client: { ...client, get: fail, list: fail }, version: 'v1beta1' }
      }
    }),
  )
  return found.filter((cluster) => cluster !== undefined)
}
