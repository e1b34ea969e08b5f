import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  type Node,
  type Pod,
  type Service,
} from '../endpointslice/index.ts'
import { labelName } from '../kubernetes/index.ts'
import type { Mode } from '../settings/index.ts'
import type { Change } from './change.ts'
import {
  knownTime,
  knownVersion,
  NO_ENDPOINT,
  type NodeDigest,
  nodeDigest,
  podDigest,
  readyTransitionTime,
} from './digests.ts'
import type { KeyText } from './key.ts'
import { keyDigests, type PodEntry, type SliceEntry } from './key-digests.ts'
import { createLabelPool } from './label-pool.ts'
import {
  formFault,
  type MalformedObject,
  type ObjectKey,
  objectKey,
  type WatchedKind,
  type WatchedObjects,
} from './object-form.ts'
import { createObjectTable } from './object-table.ts'
import { isSealed, isSealedForDeletion } from './seal.ts'
import type { Selection } from './selection.ts'
import { createFleetSelectors, type FleetSelectors } from './selector-index.ts'
import { createServiceTable, type ServiceEntry } from './service-table.ts'

/** What a watch tells of one kind of objects goes in; the keys that it concerns come out. */
export interface KindIndex<T> {
  /** A whole list begins. */
  listing(): void
  /** The object is new or changed. */
  put(object: T): Change[]
  remove(object: T): Change[]
  /** The list is complete; what it did not name is gone. */
  listed(): Change[]
}

/**
 * Knows of a cluster what is needed to tell which Services a change concerns, and no more: of a Service its selector
 * and a digest, of a Pod its labels and what enters an endpoint, of a Node its zone and capacity, of a slice its Service.
 */
export interface ClusterIndex {
  readonly services: KindIndex<Service>
  readonly pods: KindIndex<Pod>
  readonly nodes: KindIndex<Node>
  /** The slices with our managed-by value, and only those. */
  readonly slices: KindIndex<EndpointSlice>
  /**
   * Every key that this cluster concerns: the managed Services, those that slices of ours name though they are not managed
   * or gone, and the Services of other clusters that take pods of this one.
   */
  keys(): Change[]
  /** A digest of what is remembered of each key of this cluster; see {@link keyDigests}. */
  digests(): Map<KeyText, string>
  /** Objects remembered. */
  size(): { services: number; pods: number; nodes: number; slices: number }
}

/** What the indexes of clusters that are watched together share: which Services take pods of which cluster. */
export type Fleet = FleetSelectors<ServiceEntry>

/** @param onCluster called when a Service takes pods of a cluster that none took pods of before */
export const createFleet = (onCluster?: (cluster: string) => void): Fleet => createFleetSelectors(onCluster)

/**
 * @param fleet the same for all clusters that are watched together; default: one of its own
 * @param onMalformed told of each object that counts as absent since it is not of the API's form
 */
export function createClusterIndex(
  cluster: string,
  mode: Mode,
  fleet: Fleet = createFleet(),
  onMalformed: (object: MalformedObject) => void = () => undefined,
): ClusterIndex {
  const services = createServiceTable(cluster, mode, fleet)
  const pods = createObjectTable<PodEntry>()
  const nodes = createObjectTable<NodeDigest>()
  const slices = createObjectTable<SliceEntry>()
  const labels = createLabelPool()

  const changeOf = ({ namespace, name, ...entry }: ServiceEntry, more: Partial<Change> = {}): Change => ({
    cluster: entry.cluster,
    namespace,
    service: name,
    ...more,
  })
  /** A pod's version is of no use to readers of another cluster. */
  const podChangeOf = (entry: ServiceEntry, { resourceVersion, ...more }: Partial<Change>): Change =>
    changeOf(entry, entry.cluster === cluster ? { ...more, resourceVersion } : more)
  const keyChange = (key: string): Change => {
    const [namespace = '', service = ''] = key.split('/')
    return { cluster, namespace, service }
  }

  function putService(key: ObjectKey, service: Service): Change[] {
    const { before, after } = services.put(key, service)
    if (before === after) return []
    const concerned = [before, after].some((entry) => entry !== undefined && isOurs(entry))
    const isNew = before === undefined
    return concerned
      ? [changeOf(after, isNew ? { triggerTime: knownTime(service.metadata?.creationTimestamp) } : {})]
      : []
  }

  function removeService(key: ObjectKey): Change[] {
    return services.get(key) === undefined ? [] : serviceGone(key, services.delete(key))
  }

  /** Of an unmanaged Service only the slices that it left behind concern us. */
  function serviceGone(key: string, entry: ServiceEntry | undefined): Change[] {
    const concerned =
      (entry !== undefined && isOurs(entry)) || slices.entries().some(([, { service }]) => service === key)
    return concerned ? [keyChange(key)] : []
  }

  function putPod(key: ObjectKey, pod: Pod): Change[] {
    const before = pods.get(key)
    const after: PodEntry = {
      namespace: pod.metadata?.namespace ?? '',
      labels: labels.acquire(pod.metadata?.labels ?? undefined),
      digest: podDigest(pod),
      node: pod.spec?.nodeName ?? '',
      readyTime: readyTransitionTime(pod),
    }
    pods.set(key, after)
    if (before !== undefined) labels.release(before.labels)
    const concerned = servicesOfPodChange(before, after)
    if (concerned.size === 0) return []
    const moved = after.readyTime !== undefined && after.readyTime !== before?.readyTime
    const cause = {
      triggerTime: moved ? after.readyTime : undefined,
      resourceVersion: knownVersion(pod.metadata?.resourceVersion),
    }
    return [...concerned].map((entry) => podChangeOf(entry, cause))
  }

  /** As podEndpointsChanged and GetServicesToUpdateOnPodChange upstream, and the phase as well, which upstream forgets. */
  function servicesOfPodChange(before: PodEntry | undefined, after: PodEntry): Set<ServiceEntry> {
    if (before?.labels === after.labels && before.digest === after.digest) return new Set()
    const was = servicesWith(before)
    const is = servicesWith(after)
    return before?.digest === after.digest ? was.symmetricDifference(is) : was.union(is)
  }

  const servicesWith = (pod: PodEntry | undefined): Set<ServiceEntry> =>
    pod === undefined || pod.digest === NO_ENDPOINT ? new Set() : services.matching(pod.namespace, pod.labels)

  function removePod(key: ObjectKey, pod: Pod): Change[] {
    const entry = pods.get(key)
    pods.delete(key)
    return podGone(entry, knownVersion(pod.metadata?.resourceVersion))
  }

  function podGone(entry: PodEntry | undefined, resourceVersion?: string): Change[] {
    if (entry === undefined) return []
    labels.release(entry.labels)
    return [...servicesWith(entry)].map((service) => podChangeOf(service, { resourceVersion }))
  }

  function* servicesOnNodes(names: ReadonlySet<string>): Generator<ServiceEntry> {
    if (names.size === 0) return
    for (const [, pod] of pods.entries()) if (names.has(pod.node)) yield* servicesWith(pod)
  }

  function* servicesWithTopologyHints(): Generator<ServiceEntry> {
    for (const [, service] of services.entries()) if (service.topologyHints && isOurs(service)) yield service
  }

  /** Their zone concerns the endpoints on them, their capacity the topology hints of all. */
  function nodesChanged(zoned: ReadonlySet<string>, capacityChanged: boolean): Change[] {
    const concerned = new Set(servicesOnNodes(zoned))
    if (capacityChanged) for (const service of servicesWithTopologyHints()) concerned.add(service)
    return [...concerned].map((service) => changeOf(service))
  }

  function putNode(_key: ObjectKey, node: Node): Change[] {
    const name = node.metadata?.name ?? ''
    const before = nodes.get(name)
    const after = nodeDigest(node)
    nodes.set(name, after)
    const zoned = before?.zone === after.zone ? [] : [name]
    return nodesChanged(new Set(zoned), before?.zone !== after.zone || before.capacity !== after.capacity)
  }

  function removeNode(_key: ObjectKey, node: Node): Change[] {
    const name = node.metadata?.name ?? ''
    if (nodes.get(name) === undefined) return []
    nodes.delete(name)
    return nodesChanged(new Set([name]), true)
  }

  function putSlice(key: ObjectKey, slice: EndpointSlice): Change[] {
    const before = slices.get(key)?.service
    const after = serviceKeyOf(slice)
    slices.set(key, { service: after, resourceVersion: knownVersion(slice.metadata?.resourceVersion) ?? '' })
    const concerned = new Set<string>()
    if (!isSealed(slice)) concerned.add(after)
    if (before !== undefined && before !== after) concerned.add(before)
    concerned.delete(NO_SERVICE)
    return [...concerned].map(keyChange)
  }

  function removeSlice(key: ObjectKey, slice: EndpointSlice): Change[] {
    const entry = slices.get(key)
    slices.delete(key)
    return isSealedForDeletion(slice) ? [] : sliceGone(entry)
  }

  /** Only a managed Service misses its slice; the slices of a deleted Service go with it. */
  function sliceGone(entry: SliceEntry | undefined): Change[] {
    const service = entry === undefined ? undefined : services.get(entry.service)
    return service !== undefined && hasSlices(service.selection) ? [changeOf(service)] : []
  }

  /** An object that is not of the API's form counts as absent. */
  function kindIndex<Kind extends WatchedKind, T extends WatchedObjects[Kind]>(
    kind: Kind,
    { put, remove, ...lists }: TableOf<WatchedObjects[Kind]>,
  ): KindIndex<T> {
    const removeObject = (object: T): Change[] => {
      const key = objectKey(kind, object)
      return key === undefined ? [] : remove(key, object)
    }
    return {
      ...lists,
      put(object) {
        const key = objectKey(kind, object)
        const malformed = formFault(kind, object)
        if (key !== undefined && malformed === undefined) return put(key, object)
        if (malformed !== undefined) onMalformed(malformed)
        return removeObject(object)
      },
      remove: removeObject,
    }
  }

  return {
    services: kindIndex('Service', {
      listing: services.listing,
      put: putService,
      remove: removeService,
      listed: () => services.listed().flatMap(([key, entry]) => serviceGone(key, entry)),
    }),
    pods: kindIndex('Pod', {
      listing: pods.listing,
      put: putPod,
      remove: removePod,
      listed: () => pods.listed().flatMap(([, entry]) => podGone(entry)),
    }),
    nodes: kindIndex('Node', {
      listing: nodes.listing,
      put: putNode,
      remove: removeNode,
      listed: () => {
        const gone = new Set(nodes.listed().map(([name]) => name))
        return nodesChanged(gone, gone.size > 0)
      },
    }),
    slices: kindIndex('EndpointSlice', {
      listing: slices.listing,
      put: putSlice,
      remove: removeSlice,
      listed: () => slices.listed().flatMap(([, entry]) => sliceGone(entry)),
    }),
    keys: () => {
      const keys = new Set<string>()
      for (const [key, entry] of services.entries()) if (entry.selection.kind !== 'unmanaged') keys.add(key)
      for (const [, { service }] of slices.entries()) keys.add(service)
      keys.delete(NO_SERVICE)
      return [...[...keys].map(keyChange), ...services.foreign().map((entry) => changeOf(entry))]
    },
    digests: () =>
      keyDigests({
        cluster,
        services: services.entries,
        pods: pods.entries,
        nodes: nodes.entries,
        node: nodes.get,
        slices: slices.entries,
        matching: services.matching,
      }),
    size: () => ({ services: services.size, pods: pods.size, nodes: nodes.size, slices: slices.size }),
  }
}

/** What is done with objects of one kind; `key` is theirs. */
interface TableOf<T> extends Pick<KindIndex<T>, 'listing' | 'listed'> {
  put(key: ObjectKey, object: T): Change[]
  remove(key: ObjectKey, object: T): Change[]
}

/** Whether a change of the Service can call for a write. */
const isOurs = ({ selection }: ServiceEntry): boolean => selection.kind !== 'unmanaged'

/** Whether slices of the Service's must be there. */
const hasSlices = ({ kind }: Selection): boolean => kind === 'managed' || kind === 'static'

/** A slice whose label names no Service belongs to none. */
const NO_SERVICE = ''

function serviceKeyOf({ metadata }: EndpointSlice): string {
  const service = metadata?.labels?.[LABEL_SERVICE_NAME] ?? ''
  return labelName(service).length === 0 ? `${metadata?.namespace ?? ''}/${service}` : NO_SERVICE
}
