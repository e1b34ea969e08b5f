import pLimit from 'p-limit'
import {
  leftBehindAdvice,
  otherOwner,
  STAYS_BEHIND_ADVICE,
  unpublishedAdvice,
} from '../../../shared/changes/index.ts'
import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  MIRRORING_CONTROLLER,
} from '../../../shared/endpointslice/index.ts'
import {
  type ApiObject,
  ENDPOINT_SLICES,
  NotFoundError,
  type Resource,
} from '../../../shared/kubernetes/index.ts'
import {
  createNodeReader,
  type ReadableCluster,
  UnknownClusterError,
  writersOf,
} from '../../../shared/reconciler/index.ts'
import { explainService } from '../../explain/index.ts'
import { type LeftBehind, sampleOf } from '../../inventory/read-inventory.ts'
import { counted, durationText } from '../../terminal/index.ts'
import { type Check, type CheckContext, type Finding, failure, ok, unchecked, warning } from '../check.ts'
import type { ExaminedCluster } from '../examined-cluster.ts'

export const SLICE_CHECKS: readonly Check[] = [
  { name: 'in-tree controller', run: findInTree },
  { name: 'other slices', run: findOthers },
  { name: 'first start', run: planStart },
]

interface Lease extends ApiObject {
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string }
}
const LEASES: Resource<Lease> = {
  ...{ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true },
}
/** A lease that was renewed within this time, in milliseconds, has a holder that runs. */
const LEASE_FRESH_MS = 60_000
const TURN_OFF =
  'start kube-controller-manager with --controllers=*,-endpointslice-controller (k3s: --kube-controller-manager-arg=controllers=*,-endpointslice-controller), or check with --shadow first'

/** Maximum number of checked Services: enough for an estimate, and fast. */
const SAMPLE = 200
/** Maximum number of Services that are read concurrently. */
const CONCURRENCY = 8

async function findInTree({ cluster, settings, now }: CheckContext): Promise<Finding> {
  const { mode, shadow } = settings
  const { secondControllers } = await cluster.inventory()
  const [second] = secondControllers
  if (second !== undefined)
    return failure(
      `${second.manager} wrote a slice of ours of ${second.service} at ${second.at}, too: both would go on`,
      second.isMirror ? TURN_OFF.replace('endpointslice-', 'endpointslicemirroring-') : TURN_OFF,
    )
  if (mode === 'custom') return ok('it leaves Services without a selector alone')
  if (shadow) return ok('it goes on beside a shadow, which writes nothing')
  const { inTree, isOurs } = await lastWrites(cluster, now())
  if (inTree !== undefined)
    return failure(
      `it is on: ${inTree.manager} wrote slice ${inTree.slice} ${durationText(now() - inTree.at)} ago, and would undo what Sliceflow writes`,
      TURN_OFF,
    )
  return isOurs ? ok('it has written no slice for 10 minutes, and Sliceflow has') : askLease(cluster, now())
}

/** Without changes neither controller writes: the lease shows whether kube-controller-manager runs. */
async function askLease({ client, kubectl }: ExaminedCluster, now: number): Promise<Finding> {
  try {
    const ref = { namespace: 'kube-system', name: 'kube-controller-manager' }
    const { spec } = await client.get(LEASES, ref)
    const age = now - Date.parse(spec?.renewTime ?? '')
    if (!(age < LEASE_FRESH_MS)) return ok('kube-controller-manager does not run: its lease is not renewed')
    return warning(
      `kube-controller-manager runs (${spec?.holderIdentity} renewed its lease ${durationText(age)} ago), and has written no slice for 10 minutes: make sure that its endpointslice-controller is off`,
      `${kubectl} -n kube-system get pods -l component=kube-controller-manager -o yaml shows its flags; ${TURN_OFF}`,
    )
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return ok('kube-controller-manager has no lease here, and has written no slice for 10 minutes')
  }
}

interface LastWrites {
  readonly inTree?: { readonly slice: string; readonly manager: string; readonly at: number }
  readonly isOurs: boolean
}

/** Reads who wrote slices of the in-tree controller's last: managedFields say it. */
async function lastWrites({ client }: ExaminedCluster, now: number): Promise<LastWrites> {
  let found: LastWrites = { isOurs: false }
  const labelSelector = `${LABEL_MANAGED_BY} in (${IN_TREE_CONTROLLER},${MIRRORING_CONTROLLER})`
  for await (const { items } of client.pages(ENDPOINT_SLICES, { labelSelector }))
    for (const slice of items) found = later(found, slice, now)
  return found
}

/** Takes the last recent write of another client that we did not overwrite. */
function later(found: LastWrites, slice: EndpointSlice, now: number): LastWrites {
  const { ours, other } = writersOf(slice, { now })
  const isOurs = found.isOurs || ours > 0
  if (other === undefined || other.writtenAt <= (found.inTree?.at ?? 0)) return { ...found, isOurs }
  const { slice: name, manager, writtenAt: at } = other
  return { isOurs, inTree: { slice: `${slice.metadata?.namespace}/${name}`, manager, at } }
}

async function findOthers({ cluster, settings: { managedBy, mode } }: CheckContext): Promise<Finding> {
  const { leftBehind, doublyManaged } = await cluster.inventory()
  const [first] = leftBehind
  if (first !== undefined) {
    const values = Map.groupBy(leftBehind, (each) => each.managedBy)
    const counts = [...values].map(([value, some]) => `${some.length} with managed-by ${value}`).join(', ')
    return warning(
      `Sliceflow made slices that nothing updates with these settings: ${counts}, such as ${first.slice}`,
      first.managedBy === managedBy ? stayingAdvice(first) : offboardAdvice(first.managedBy, cluster),
    )
  }
  const [service] = doublyManaged
  if (service !== undefined && mode === 'replace')
    return warning(
      `${counted(doublyManaged.length, 'Service')} such as ${service} would have slices of the in-tree controller’s beside ours: clients see their endpoints twice`,
      `take the slices over: add --managed-by ${IN_TREE_CONTROLLER}`,
    )
  return ok('no slice of ours is of another mode or has another managed-by value')
}

function stayingAdvice({ managedBy, ownerKind }: LeftBehind): string {
  const other = otherOwner(ownerKind)
  return other === undefined ? STAYS_BEHIND_ADVICE : unpublishedAdvice(other, managedBy)
}

const offboardAdvice = (managedBy: string, { name }: ExaminedCluster): string =>
  leftBehindAdvice(managedBy).replace('offboard', `offboard --context ${name}`)

async function planStart(context: CheckContext): Promise<Finding> {
  const { cluster, settings, clusters } = context
  if (settings.shadow) return ok('a shadow writes nothing')
  const { keys, orphans } = await cluster.inventory()
  const limit = pLimit(CONCURRENCY)
  const clusterOf = readersOf(clusters)
  const sample = sampleOf(keys, SAMPLE)
  const reports = await Promise.all(
    sample.map((key) =>
      limit(() => explainService({ clusterOf, key, settings, signal: new AbortController().signal })),
    ),
  )
  const own = reports.flatMap((report) => (report === undefined ? [] : [report.writes]))
  const fleet = await fleetWrites(context)
  if (fleet === undefined) return unchecked('not counted, as a cluster of the set cannot be reached')
  const deletes = own.reduce((sum, each) => sum + each.delete.length, orphans.length) + fleet.delete
  const counts = [
    `create ${own.reduce((sum, each) => sum + each.create.length, fleet.create)}`,
    `update ${own.reduce((sum, each) => sum + each.update.length, fleet.update)}`,
    `delete ${deletes}`,
  ]
  const of = sample.length < keys.length ? `a sample of ${sample.length} of ` : ''
  const reason = `it would ${counts.join(', ')} (${of}${counted(keys.length, 'Service')}, ${counted(orphans.length, 'slice')} without one)`
  return deletes === 0
    ? ok(reason)
    : warning(reason, 'see what goes: sliceflow status --check, or sliceflow explain NAMESPACE/NAME')
}

/** Counts what a cluster set would write in the cluster; undefined where a member cannot be read. */
async function fleetWrites({
  cluster,
  clusters,
  fleets,
}: CheckContext): Promise<Readonly<Record<'create' | 'update' | 'delete', number>> | undefined> {
  const counts = { create: 0, update: 0, delete: 0 }
  for (const { set, plan } of fleets) {
    const member = set.members.find((each) => each.cluster === cluster.name)
    if (member === undefined) continue
    const reached = await Promise.allSettled(clusters.map((each) => each.probe()))
    if (reached.some(({ status }) => status === 'rejected')) return undefined
    const { services } = await plan()
    const writes = services
      .flatMap((service) => service.clusters)
      .filter((planned) => planned.cluster === member.id)
      .flatMap((planned) => planned.writes)
    for (const { verb } of writes) counts[verb]++
  }
  return counts
}

function readersOf(clusters: readonly ExaminedCluster[]): (name: string) => ReadableCluster {
  const readers = new Map(
    clusters.map(({ name, client }) => [name, { client, nodes: createNodeReader(client) }]),
  )
  return (name) => {
    const reader = readers.get(name)
    if (reader !== undefined) return reader
    throw new UnknownClusterError(`cluster ${name} is not known; name it with --context`)
  }
}
