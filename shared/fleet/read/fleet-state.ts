import type { FleetVersions } from '../../changes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { FleetContext } from '../fleet-context.ts'
import type { CachedFleet } from './fleet-cache.ts'
import {
  type ExportState,
  type FleetCluster,
  type ImportState,
  readExport,
  readImport,
} from './read-fleet.ts'
import { refreshExport } from './refresh-export.ts'

/** State of the clusters as it was read, by their ids; or the reason why reading failed. */
export interface FleetState {
  readonly imports: ReadonlyMap<string, Reading<ImportState>>
  readonly exports: ReadonlyMap<string, Reading<ExportState>>
  /** Members of which nothing is read, by id, and why. */
  readonly refused: ReadonlyMap<string, unknown>
}

export interface Reading<State> {
  readonly cluster: FleetCluster
  readonly result: { readonly state: State } | { readonly error: unknown }
}

export interface FleetMembers extends Pick<FleetState, 'refused'> {
  /** Clusters that have imports of the set, or leave it. */
  readonly importing: readonly FleetCluster[]
  readonly exporting: readonly FleetCluster[]
}

/**
 * Reads what there is behind a Service of a cluster set: the imports first, so that their last writer
 * has read exports at least as new as those of any earlier writer. What is cached and current is not read.
 */
export async function readFleet(
  { importing, exporting, refused }: FleetMembers,
  cached: CachedFleet | undefined,
  versions: KeyMessage['fleetVersions'],
  context: FleetContext,
): Promise<FleetState> {
  const imports = await readAll(
    importing,
    async (cluster) => cached?.imports.get(cluster.member.id) ?? readImport(cluster, context),
  )
  const exports = await readAll(exporting, async (cluster) => {
    const state = cached?.exports.get(cluster.member.id)
    const named = versionsIn(versions, cluster)
    return state === undefined || named === undefined
      ? readExport(cluster, context)
      : refreshExport(cluster, state, named, context)
  })
  return { imports, exports, refused }
}

const versionsIn = (
  versions: FleetVersions | undefined,
  { client }: FleetCluster,
): FleetVersions[string] | undefined => versions && (versions[client.cluster] ?? {})

async function readAll<State>(
  clusters: readonly FleetCluster[],
  read: (cluster: FleetCluster) => Promise<State>,
): Promise<Map<string, Reading<State>>> {
  const readings = clusters.map(async (cluster): Promise<[string, Reading<State>]> => {
    const result = await read(cluster).then(
      (state) => ({ state }),
      (error: unknown) => ({ error }),
    )
    return [cluster.member.id, { cluster, result }]
  })
  return new Map(await Promise.all(readings))
}
