import { importsServices } from '../cluster-sets/index.ts'
import { NotFoundError } from '../kubernetes/index.ts'
import { type Contest, type Fight, type FleetSummary, isBlocked, isUnreachable } from '../reconciler/index.ts'
import { exportStatusUpdate } from './export/export-status.ts'
import type { FleetContext } from './fleet-context.ts'
import { type ImportOutcome, syncImport, type WantedState } from './import/sync-import.ts'
import { isConflict } from './import/sync-slices.ts'
import { mergeExports } from './merging/merge-exports.ts'
import type { ClusterExport, Merge } from './merging/merged-service.ts'
import type { CachedFleet } from './read/fleet-cache.ts'
import type { FleetState, Reading } from './read/fleet-state.ts'
import type { ExportState, FleetCluster } from './read/read-fleet.ts'
import { type ServiceExport, serviceExports } from './resources.ts'
import { readProperties, selectedKeys } from './selection/cluster-selectors.ts'

export interface FleetSync {
  /** State of the clusters that answered. */
  readonly after: CachedFleet
  readonly summary: FleetSummary
  /** Outcomes of the importing clusters that could be synced, by id. */
  readonly outcomes: ReadonlyMap<string, ImportOutcome>
  /** Errors by the cluster's id. */
  readonly failures: ReadonlyMap<string, unknown>
  /** What other Sliceflows keep writing otherwise, in imports and exports. */
  readonly fights: readonly Fight[]
  /** Clusters that cannot be reached, by id, and why: the others are up to date without them. */
  readonly unreached: ReadonlyMap<string, unknown>
}

/**
 * Brings a Service of a cluster set up to date in all clusters, from what was read of them:
 * 1. Merge the exports, and read the properties that their selectors of clusters ask for.
 * 2. Import in each cluster, whatever comes of it in others.
 * 3. Report to the ServiceExports, unless another writer changed something meanwhile: then all of it is done
 *    once more.
 */
export async function syncFleetService(state: FleetState, context: FleetContext): Promise<FleetSync> {
  const failures = new Map<string, unknown>()
  const unreached = new Map<string, unknown>()
  const failed = (id: string, error: unknown): void =>
    void (isUnreachable(error) ? unreached : failures).set(id, error)
  // 1.
  const { merge, wanted: found, exports } = mergeState(state, context)
  const wanted = { ...found, ...(await selectionOf(merge, state, context)) }
  // 2.
  const outcomes = new Map<string, ImportOutcome>()
  await Promise.all(
    answersOf(state.imports, failed).map(async ([id, cluster, before]) => {
      try {
        const target = importsServices(cluster.member) ? wantedIn(id, wanted, merge) : NOTHING_WANTED
        outcomes.set(id, await syncImport(cluster, before, target, context))
      } catch (error) {
        failed(id, error)
      }
    }),
  )
  // 3.
  for (const [id, error] of state.refused) failed(id, error)
  const ofImports = [...outcomes.values()].flatMap(({ problem }) => problem ?? []).sort()
  const problems = [...ofImports, ...[...failures].map(([id]) => `cluster ${id} does not take it`)]
  // One that takes imports, and does not say what it exports, is no problem of the others' exports.
  for (const [id, error] of wanted.unknown) failed(id, error)
  for (const [id, reading] of wanted.properties)
    if ('error' in reading && !failures.has(id)) failed(id, reading.error)
  const isPartial = wanted.unknown.size > 0
  const isChanged = [...failures.values()].some(isConflict)
  // Another Sliceflow writes these imports, and conditions of the exports by them: they stay.
  const fights = [...outcomes.values()].flatMap((outcome) => outcome.fights)
  const isContested = fights.some(({ kind }) => kind === 'writers')
  const exportsAfter =
    isChanged || isContested
      ? new Map<string, ExportState>()
      : await recordExportEvents(exports, { merge, problems, isPartial, outcomes, fights }, context, failed)
  return {
    summary: fleetSummary(merge, outcomes),
    after: {
      imports: new Map([...outcomes].map(([id, outcome]) => [id, outcome.state])),
      exports: exportsAfter,
    },
    outcomes,
    failures,
    fights,
    unreached,
  }
}

const NOTHING_WANTED: WantedState = {
  merged: undefined,
  sources: [],
  unknown: new Map(),
  properties: new Map(),
}

type Answer<State> = readonly [id: string, cluster: FleetCluster, state: State]

function answersOf<State>(
  readings: ReadonlyMap<string, Reading<State>>,
  failed: (id: string, error: unknown) => void,
): Answer<State>[] {
  return [...readings].flatMap(([id, { cluster, result }]) => {
    if ('state' in result) return [[id, cluster, result.state] as const]
    failed(id, result.error)
    return []
  })
}

/** Determines from what was read what is to be imported. */
export function mergeState(
  { exports, imports, refused }: FleetState,
  options: Pick<FleetContext, 'clusterSelection'>,
): {
  readonly merge: Merge
  readonly wanted: Omit<WantedState, 'properties'>
  readonly exports: readonly Answer<ExportState>[]
} {
  const unknown = new Map<string, unknown>(refused)
  const answers = answersOf(exports, (id, error) => unknown.set(id, error))
  const given = answers.flatMap(([cluster, , state]): (ClusterExport & ExportState)[] =>
    state.export === undefined ? [] : [{ ...state, cluster, export: state.export }],
  )
  const importers = [...imports.values()].flatMap(({ cluster: { member } }) =>
    importsServices(member) ? [member.id] : [],
  )
  const merge = mergeExports(given, { ...options, importers })
  const valid = new Set(merge.merged?.clusters)
  const sources = given.flatMap(({ cluster, service, slices }) =>
    valid.has(cluster) && service !== undefined ? [{ cluster, service, slices }] : [],
  )
  return { merge, wanted: { merged: merge.merged, sources, unknown }, exports: answers }
}

/** Returns what one cluster imports: exports may be for some clusters alone. */
function wantedIn(importer: string, wanted: WantedState, merge: Merge): WantedState {
  const merged = merge.importedBy(importer)
  const { sources, ...others } = wanted
  return { ...others, merged, sources: sources.filter(({ cluster }) => merged?.clusters.includes(cluster)) }
}

/** Reads the properties of all clusters that an export's selectors name; errors take their place. */
async function selectionOf(
  { importedBy }: Merge,
  { imports, exports }: FleetState,
  { signal }: FleetContext,
): Promise<Pick<WantedState, 'properties'>> {
  const selectors = [...imports.keys()].flatMap((id) => importedBy(id)?.spec.clusterSelectors ?? [])
  const keys = selectedKeys(selectors)
  if (keys.size === 0) return { properties: new Map() }
  const clusters = new Map([...imports, ...exports].map(([id, { cluster }]) => [id, cluster]))
  const read = [...clusters].map(async ([id, { client, member }]) => {
    const result = await readProperties({ client, member, keys, signal }).then(
      (properties) => ({ properties }),
      (error: unknown) => ({ error }),
    )
    signal.throwIfAborted()
    return [id, result] as const
  })
  return { properties: new Map(await Promise.all(read)) }
}

/** Lists the clusters that import what a cluster exports. */
const importingOf = (
  exporter: string,
  { importedBy }: Merge,
  outcomes: ReadonlyMap<string, ImportOutcome>,
): string[] =>
  [...outcomes]
    .filter(
      ([importer, { state }]) =>
        state.import !== undefined && importedBy(importer)?.clusters.includes(exporter),
    )
    .map(([importer]) => importer)
    .sort()

interface ExportFindings {
  readonly merge: Merge
  readonly problems: readonly string[]
  readonly isPartial: boolean
  readonly outcomes: ReadonlyMap<string, ImportOutcome>
  /** Gets those over exports. */
  readonly fights: Fight[]
}

/** @returns what is there by now */
async function recordExportEvents(
  exports: readonly Answer<ExportState>[],
  { merge, problems, isPartial, outcomes, fights }: ExportFindings,
  { set, namespace, name, guards: { contests }, logger, now, signal }: FleetContext,
  failed: (id: string, error: unknown) => void,
): Promise<Map<string, ExportState>> {
  const after = new Map<string, ExportState>(exports.map(([id, , state]) => [id, state]))
  await Promise.all(
    exports.map(async ([id, { client, version }, state]) => {
      if (state.export === undefined) return
      const wantedConditions = merge.wantedConditions.get(id) ?? []
      const findings = { wantedConditions, problems, isPartial, clusters: importingOf(id, merge, outcomes) }
      const update = exportStatusUpdate(state.export, { ...findings, now: now() })
      if (update === undefined) return
      const contest = exportContest(state.export, `${set} ${client.cluster}`, findings)
      const fight = contests.fight(contest)
      if (fight !== undefined) return void fights.push(fight)
      try {
        const options = { subresource: 'status', signal }
        after.set(id, { ...state, export: await client.update(serviceExports(version), update, options) })
        contests.wrote(contest)
        const leftOut = merge.leftOut.get(id)
        if (leftOut !== undefined)
          logger.warn(
            { cluster: client.cluster, namespace, service: name, leftOut },
            'parts of a ServiceExport are left out',
          )
      } catch (error) {
        after.delete(id)
        // It was deleted meanwhile, which is another change.
        if (!(error instanceof NotFoundError)) failed(id, error)
      }
    }),
  )
  return after
}

/** Returns the contest of the conditions of an export. They do not say which of two Sliceflows wrote them. */
const exportContest = ({ metadata, status }: ServiceExport, of: string, findings: unknown): Contest => ({
  of: `${of} ServiceExport ${metadata?.namespace}/${metadata?.name}`,
  wanted: () => JSON.stringify([metadata?.generation, findings]),
  slices: [`ServiceExport ${metadata?.name}`],
  replaces: status?.conditions === undefined ? undefined : { kind: 'writers', by: '?' },
})

/** Counts what a sync has found, for metrics. */
export function fleetSummary(
  { merged, wantedConditions }: Merge,
  outcomes: ReadonlyMap<string, ImportOutcome>,
): FleetSummary {
  const all = [...outcomes.values()]
  const isInConflict = [...wantedConditions.values()]
    .flat()
    .some(({ type, status }) => type === 'Conflict' && status === 'True')
  return {
    exports: merged?.clusters.length ?? 0,
    imports: all.filter(({ state, problem }) => state.import !== undefined && problem === undefined).length,
    isInConflict,
    // Another owner's objects block nothing while nothing is to be imported.
    blocked: all.filter(
      ({ problem, findings }) => (merged !== undefined && problem !== undefined) || isBlocked(findings),
    ).length,
    // Each cluster leaves out the same.
    leftOut: Math.max(0, ...all.map((outcome) => outcome.leftOut ?? 0)),
  }
}
