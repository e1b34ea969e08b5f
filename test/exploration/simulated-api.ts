import { type EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import {
  type ApiObject,
  ENDPOINT_SLICES,
  matchesLabels,
  PODS,
  parseLabelSelector,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Call } from './calls.ts'
import { conflict, nameClash, notFound, tooLargeVersion } from './refusals.ts'
import { type Snapshot, type Snapshots, snapshotsOf } from './snapshots.ts'
import { createObjectPool, type ObjectPool, type Stored } from './stored-objects.ts'

/**
 * Way in which versions are counted. `global`: one number for all objects, as in etcd; it shows the order of
 * two writes to different objects. `object`: a number for each name, never used twice. Code that only
 * compares versions of one object for equality, which is all but minimum resource versions, cannot tell the
 * difference, and far fewer states differ.
 */
export type Versions = 'global' | 'object'

/** One state of one cluster; never changed, each write gives another one. */
export interface SimulatedCluster extends Snapshots {
  readonly versions: Versions
  readonly pool: ObjectPool
  /** Global and increasing. */
  readonly revision: number
  /** Objects by `plural/namespace/name`. */
  readonly objects: ReadonlyMap<string, Stored>
  /** Number of writes of each name, also of objects that are gone. */
  readonly generations: ReadonlyMap<string, number>
  /** Number of changes of Services. */
  readonly serviceChanges: number
  /** Versions that the last writer of a slice had read, by the slice's name. */
  readonly views: ReadonlyMap<string, View>
  /** Violations of what must never happen. */
  readonly violations: readonly string[]
  /** The same for clusters that cannot be distinguished. */
  readonly key: number
}

export interface Answer {
  readonly cluster: SimulatedCluster
  readonly value?: unknown
  readonly error?: Error
  /** The same for answers that are alike. */
  readonly key: string
  /** Age of the answer, for a list of pods or a Service. */
  readonly view?: Partial<View>
}

/** Age of what a worker has read before it writes. */
export interface View {
  /** The index of a snapshot. */
  readonly pods: number
  /** Number of changes of Services at that time. */
  readonly service: number
}

/** View of a worker that has read nothing. */
export const NO_VIEW: View = { pods: -1, service: -1 }

/** Returns what a worker has seen once it has a message: the Pods as the facts of the message show them. */
export function viewOfFacts({ snapshots }: SimulatedCluster, message: KeyMessage, before: View): View {
  const { hint, readAhead } = message
  const { podsVersion = message.podsVersion } = hint?.facts ?? {}
  if ((hint?.facts ?? readAhead?.selected) === undefined) return before
  return { ...before, pods: snapshots.findLastIndex(({ revision }) => revision <= Number(podsVersion)) }
}

interface Writer {
  readonly view: View
  readonly managedBy: string
  readonly service: string
}

export const emptyCluster = (versions: Versions): SimulatedCluster =>
  withKey({
    versions,
    pool: createObjectPool(),
    revision: 1,
    objects: new Map(),
    generations: new Map(),
    serviceChanges: 0,
    views: new Map(),
    snapshots: [{ revision: 1, objects: new Map() }],
    sliceSnapshots: [],
    violations: [],
    key: 0,
  })

export const keyOf = (plural: string, { metadata }: ApiObject): string =>
  `${plural}/${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`

export function objectsOf<T extends ApiObject>(cluster: SimulatedCluster, plural: string): T[] {
  return entriesOf(cluster.objects, plural).map(([, { object }]) => object as T)
}

/** Writes whatever stands there: for those who are not under test. Without a uid it is a new object. */
export function putObject(cluster: SimulatedCluster, plural: string, object: ApiObject): SimulatedCluster {
  const key = keyOf(plural, object)
  const generation = (cluster.generations.get(key) ?? 0) + 1
  const revision = cluster.revision + 1
  const before = cluster.objects.get(key)?.object.metadata
  const stored = cluster.pool.store({
    ...object,
    metadata: {
      ...object.metadata,
      uid: before?.uid ?? `${key}#${generation}`,
      resourceVersion: String(cluster.versions === 'global' ? revision : generation),
    },
  })
  return written(cluster, plural, {
    revision,
    objects: new Map(cluster.objects).set(key, stored),
    generations: new Map(cluster.generations).set(key, generation),
  })
}

/** Removes whatever stands there: for those who are not under test. */
export function removeObject(cluster: SimulatedCluster, plural: string, object: ApiObject): SimulatedCluster {
  const key = keyOf(plural, object)
  const objects = new Map(cluster.objects)
  objects.delete(key)
  return written(cluster, plural, { revision: cluster.revision + 1, objects })
}

/** Returns the slices that the garbage collector will delete, as their owner is gone. */
export function orphanedSlices(cluster: SimulatedCluster): EndpointSlice[] {
  const owners = new Set(objectsOf(cluster, SERVICES.plural).map(({ metadata }) => metadata?.uid))
  return objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural).filter(
    ({ metadata }) =>
      metadata?.ownerReferences?.length && !metadata.ownerReferences.some(({ uid }) => owners.has(uid)),
  )
}

/** Lets workers read slices from a cache that lags. */
export const withSliceCache = (cluster: SimulatedCluster): SimulatedCluster => ({
  ...cluster,
  sliceSnapshots: [{ revision: cluster.revision, objects: ofKind(cluster.objects, ENDPOINT_SLICES.plural) }],
})

/** Returns the cluster with the Pods as they were this number of changes ago, at the version of that time. */
export function podsBehind(cluster: SimulatedCluster, changes: number): SimulatedCluster {
  const { revision = cluster.revision, objects: pods = new Map() } = cluster.snapshots.at(-1 - changes) ?? {}
  const others = [...cluster.objects].filter(([key]) => !key.startsWith(`${PODS.plural}/`))
  return { ...cluster, revision, objects: new Map([...others, ...pods]) }
}

/** Does at once what the call asks for, as an API server does. @param view one of `viewsFor` */
export function answer(cluster: SimulatedCluster, call: Call, writer: Writer, view?: number): Answer {
  switch (call.verb) {
    case 'list':
      return list(cluster, call, view ?? snapshotsOf(cluster, call.plural).length - 1)
    case 'get':
      return get(cluster, call, view ?? cluster.snapshots.length - 1)
    case 'create':
      return create(cluster, call, writer)
    case 'update':
      return update(cluster, call, writer)
    case 'delete':
      return remove(cluster, call, writer)
    case 'pause':
      return { cluster, key: 'over' }
  }
}

function list(cluster: SimulatedCluster, call: Call & { verb: 'list' }, view: number): Answer {
  const { plural, namespace, labelSelector = '', metadataOnly = false, notOlderThan } = call
  if (notOlderThan !== undefined && Number(notOlderThan) > cluster.revision)
    return refused(cluster, tooLargeVersion(notOlderThan, cluster.revision))
  const isOfPods = plural === PODS.plural
  const snapshot = snapshotsOf(cluster, plural)[view]
  const isCached = isOfPods || (plural === ENDPOINT_SLICES.plural && notOlderThan !== undefined)
  const requirements = parseLabelSelector(labelSelector)
  const found = entriesOf((isCached ? snapshot?.objects : undefined) ?? cluster.objects, plural)
    .map(([, stored]) => stored)
    .filter(({ object: { metadata } }) => namespace === undefined || metadata?.namespace === namespace)
    .filter(({ object }) => matchesLabels(requirements, (object as EndpointSlice).metadata?.labels ?? {}))
  const items = found.map(({ object }) => (metadataOnly ? { metadata: object.metadata } : object))
  const resourceVersion = versionOfList(cluster, notOlderThan, snapshot)
  return {
    cluster,
    value: { items, metadata: { resourceVersion } },
    key: `${found.map(({ id }) => id)}@${resourceVersion}`,
    ...(isOfPods && { view: { pods: view } }),
  }
}

/**
 * Returns the version of a list. A cache says how new it is, which is no older than the minimum. Versions of
 * single objects give a list none.
 */
function versionOfList(
  { versions, revision }: SimulatedCluster,
  notOlderThan: string | undefined,
  snapshot: Snapshot | undefined,
): string {
  if (versions === 'object') return '1'
  if (notOlderThan === undefined) return String(revision)
  return String(Math.max(Number(notOlderThan), snapshot?.revision ?? 0))
}

function get(cluster: SimulatedCluster, call: Call & { verb: 'get' }, podsView: number): Answer {
  const { plural, namespace, name, metadataOnly = false, notOlderThan } = call
  if (notOlderThan !== undefined && Number(notOlderThan) > cluster.revision)
    return refused(cluster, tooLargeVersion(notOlderThan, cluster.revision))
  const view = viewOf(cluster, plural, podsView)
  const pods = plural === PODS.plural ? cluster.snapshots[podsView]?.objects : undefined
  const found = (pods ?? cluster.objects).get(keyOf(plural, { metadata: { namespace, name } }))
  if (found === undefined) return { ...refused(cluster, notFound(plural, name)), view }
  const value = metadataOnly ? { metadata: found.object.metadata } : found.object
  return { cluster, value, key: String(found.id), view }
}

function viewOf(cluster: SimulatedCluster, plural: string, pods: number): Partial<View> {
  if (plural === SERVICES.plural) return { service: cluster.serviceChanges }
  return plural === PODS.plural ? { pods } : {}
}

function create(cluster: SimulatedCluster, call: Call & { verb: 'create' }, writer: Writer): Answer {
  const { plural, object } = call
  const checked = check(cluster, [
    ...(object.metadata?.name ? [] : ['a create without a name']),
    ...foreign(plural, object, writer),
  ])
  if (cluster.objects.has(keyOf(plural, object)))
    return refused(checked, nameClash(plural, object.metadata?.name))
  return done(putObject(checked, plural, object), call, writer)
}

function update(cluster: SimulatedCluster, call: Call & { verb: 'update' }, writer: Writer): Answer {
  const { plural, object } = call
  const { name = '', resourceVersion, uid } = object.metadata ?? {}
  const found = cluster.objects.get(keyOf(plural, object))
  const checked = check(cluster, [
    ...(resourceVersion ? [] : [`an update of ${name} that is not conditional`]),
    ...foreign(plural, object, writer),
  ])
  if (found === undefined) return refused(checked, notFound(plural, name))
  const { metadata: current } = found.object
  if (resourceVersion !== undefined && resourceVersion !== current?.resourceVersion)
    return refused(checked, conflict(plural, name))
  if (uid !== undefined && uid !== current?.uid) return refused(checked, conflict(plural, name))
  // A write that changes nothing is none.
  if (cluster.pool.store(object) === found)
    return { cluster: checked, value: found.object, key: String(found.id) }
  const seen = areEndpointsSame(found.object, object) ? withNewestPods(checked, name, writer) : writer
  const allowed = check(checked, [...foreign(plural, found.object, seen), ...olderView(checked, name, seen)])
  return done(putObject(allowed, plural, object), call, seen)
}

function remove(cluster: SimulatedCluster, call: Call & { verb: 'delete' }, writer: Writer): Answer {
  const { plural, namespace, name, preconditions } = call
  const found = cluster.objects.get(keyOf(plural, { metadata: { namespace, name } }))
  const isConditional = preconditions?.uid !== undefined && preconditions.resourceVersion !== undefined
  const checked = check(cluster, isConditional ? [] : [`a delete of ${name} that is not conditional`])
  if (found === undefined) return refused(checked, notFound(plural, name))
  const { uid = '', resourceVersion = '' } = found.object.metadata ?? {}
  const asked = { uid, resourceVersion, ...preconditions }
  if (asked.uid !== uid || asked.resourceVersion !== resourceVersion)
    return refused(checked, conflict(plural, name))
  const removed = removeObject(check(checked, foreign(plural, found.object, writer)), plural, found.object)
  return { cluster: removed, key: 'deleted' }
}

/** Reports writes to slices of others, which must never happen. */
function foreign(plural: string, { metadata }: ApiObject, { managedBy, service }: Writer): string[] {
  if (plural !== ENDPOINT_SLICES.plural) return []
  const labels = (metadata as EndpointSlice['metadata'])?.labels ?? {}
  const isOurs = labels[LABEL_MANAGED_BY] === managedBy && labels[LABEL_SERVICE_NAME] === service
  return isOurs ? [] : [`a write of the foreign slice ${metadata?.name}`]
}

/**
 * Reports a writer that saw an older Service or older pods than the one before it. Each must have seen what
 * is at least as new.
 */
function olderView({ views }: SimulatedCluster, name: string, { view }: Writer): string[] {
  const before = views.get(name) ?? NO_VIEW
  return [
    ...(view.pods < before.pods ? [`slice ${name} is written for older pods than before`] : []),
    ...(view.service < before.service ? [`slice ${name} is written for an older Service than before`] : []),
  ]
}

const areEndpointsSame = (before: ApiObject, after: ApiObject): boolean =>
  JSON.stringify((before as EndpointSlice).endpoints) === JSON.stringify((after as EndpointSlice).endpoints)

/** A write that changes no endpoint publishes the Pods that the previous writer had read. */
const withNewestPods = ({ views }: SimulatedCluster, name: string, { view, ...writer }: Writer): Writer => ({
  ...writer,
  view: { ...view, pods: Math.max(view.pods, views.get(name)?.pods ?? NO_VIEW.pods) },
})

function done(
  cluster: SimulatedCluster,
  { plural, object }: Call & { verb: 'create' | 'update' },
  writer: Writer,
): Answer {
  const stored = cluster.objects.get(keyOf(plural, object))
  const views = new Map(cluster.views).set(object.metadata?.name ?? '', writer.view)
  return { cluster: withKey({ ...cluster, views }), value: stored?.object, key: String(stored?.id) }
}

const refused = (cluster: SimulatedCluster, error: Error): Answer => ({ cluster, error, key: error.message })

const check = (cluster: SimulatedCluster, violations: readonly string[]): SimulatedCluster =>
  violations.length === 0 ? cluster : { ...cluster, violations: [...cluster.violations, ...violations] }

function written(
  cluster: SimulatedCluster,
  plural: string,
  change: Partial<SimulatedCluster> & Pick<SimulatedCluster, 'objects' | 'revision'>,
): SimulatedCluster {
  const serviceChanges = cluster.serviceChanges + (plural === SERVICES.plural ? 1 : 0)
  const snapshot = { revision: change.revision, objects: ofKind(change.objects, plural) }
  const snapshots = plural === PODS.plural ? [...cluster.snapshots, snapshot] : cluster.snapshots
  const isCached = plural === ENDPOINT_SLICES.plural && cluster.sliceSnapshots.length > 0
  const sliceSnapshots = isCached ? [...cluster.sliceSnapshots, snapshot] : cluster.sliceSnapshots
  return withKey({ ...cluster, ...change, snapshots, sliceSnapshots, serviceChanges })
}

const ofKind = (objects: ReadonlyMap<string, Stored>, plural: string): ReadonlyMap<string, Stored> =>
  new Map(entriesOf(objects, plural))

function entriesOf(objects: ReadonlyMap<string, Stored>, plural: string): [string, Stored][] {
  const prefix = `${plural}/`
  return [...objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
}

function withKey(cluster: SimulatedCluster): SimulatedCluster {
  const ids = [...cluster.objects.values()].map(({ id }) => id).sort((a, b) => a - b)
  const versionsOf = (snapshots: readonly Snapshot[]): readonly number[] =>
    cluster.versions === 'global' ? snapshots.map(({ revision }) => revision) : []
  const past = [versionsOf(cluster.snapshots), versionsOf(cluster.sliceSnapshots)].join('|')
  const generations = textOf(cluster.generations, String)
  const views = textOf(cluster.views, ({ pods, service }) => `${pods}/${service}`)
  const revision = cluster.versions === 'global' ? cluster.revision : ''
  const ages = `${cluster.snapshots.length}/${cluster.serviceChanges}`
  const text = `${ids}|${generations}|${views}|${past}|${revision}|${ages}|${cluster.violations}`
  return cluster.pool.clusterOf(text, cluster)
}

const textOf = <T>(byName: ReadonlyMap<string, T>, text: (value: T) => string): string =>
  [...byName]
    .map(([name, value]) => `${name}=${text(value)}`)
    .sort()
    .join()
