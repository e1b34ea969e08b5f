import { findSet } from '../cluster-sets/index.ts'
import { endpointDifferences } from '../endpointslice/index.ts'
import type { Reconcile } from '../queue/consumer/index.ts'
import {
  createComparing,
  type RecordedWrite,
  type ShadowSync,
  type VersionedDifference,
  wallClock,
} from '../reconciler/index.ts'
import {
  dryRunFleetSync,
  type FleetDryRun,
  type FleetDryRunOptions,
  type MemberDryRun,
} from './dry-run-fleet-sync.ts'
import type { FleetReconcilerOptions } from './fleet-context.ts'

/**
 * Creates what takes the place of a reconciler of sets in shadow mode. It compares what clusters import with
 * what would be imported, reports differences, and writes nothing: its clients cannot.
 */
export function createFleetShadow({
  sets,
  clientOf,
  settings,
  clock = wallClock,
  ...options
}: FleetReconcilerOptions): Reconcile {
  // What the reconcile says of its writes would be untrue.
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  return createComparing(
    (key, signal) => {
      const set = findSet(sets(), key)
      const { namespace, service: name } = key
      const common = { clientOf, settings, logger, signal, now: clock.now }
      return () => compareImports({ ...common, set, namespace, name })
    },
    { ...options, clock },
  )
}

const ignore = (): void => undefined

/**
 * Compares what the clusters of a set import of a Service with what a reconcile would make of it.
 * Conditions are not compared: without writes there are none.
 * @throws unknown when a cluster could not be read
 */
async function compareImports(options: FleetDryRunOptions): Promise<ShadowSync> {
  const sync = await dryRunFleetSync(options)
  const failures = sync.members.flatMap(failureOf)
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `failed to compare Service ${options.namespace}/${options.name} of cluster set ${options.set.name}: ${String(failures[0])}`,
    )
  const problems = sync.members.flatMap(({ outcome }) => outcome?.problem ?? [])
  if (problems.length > 0) return { kind: 'invalid', problem: problems.sort().join('; ') }
  if (!isOfSet(sync)) return { kind: 'unmanaged' }
  const versions = versionsIn(sync)
  const differences = sync.members.flatMap((member) => differencesOf(member, versions))
  return { kind: 'compared', differences }
}

function failureOf({ exports, imports, failure, member }: MemberDryRun): unknown[] {
  if (member.problem !== undefined) return [new Error(member.problem)]
  const readings = [exports, imports].flatMap((result) => (result && 'error' in result ? [result.error] : []))
  return [...readings, ...(failure === undefined ? [] : [failure])].slice(0, 1)
}

/** Reports whether it is exported anywhere, or imported by us. */
const isOfSet = ({ merge, members }: FleetDryRun): boolean =>
  merge.merged !== undefined ||
  members.some(({ imports }) => imports && 'state' in imports && imports.state.import !== undefined)

/** Describes what the imports follow from: as long as it stays, so must they. */
const versionsIn = ({ members }: FleetDryRun): string =>
  JSON.stringify(
    members.map(({ exports }) => {
      if (exports === undefined || !('state' in exports)) return []
      const { export: object, service, slices } = exports.state
      return [object, service, ...slices].map((each) => each?.metadata?.resourceVersion)
    }),
  )

function differencesOf(
  { member, imports, outcome, writes }: MemberDryRun,
  versions: string,
): VersionedDifference[] {
  const { id } = member
  const before = imports && 'state' in imports ? imports.state.slices : []
  const endpoints = endpointDifferences(before, outcome?.state.slices ?? before)
  return [
    ...endpoints.map((difference) => ({
      ...difference,
      endpoint: `${id}: ${difference.endpoint}`,
      versions,
    })),
    ...writes.filter(isOfObject).map(
      ({ kind, name, verb }): VersionedDifference => ({
        ...{ kind: 'object', addressType: 'IPv4', slice: '', actual: '', versions },
        endpoint: `${id}: ${kind} ${name}`,
        expected: `${verb}d`,
      }),
    ),
  ]
}

const isOfObject = ({ kind, subresource, refusal }: RecordedWrite): boolean =>
  kind !== 'EndpointSlice' && subresource === undefined && refusal === undefined
