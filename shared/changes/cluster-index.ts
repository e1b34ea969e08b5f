import type { EndpointSlice, Node, Pod, Service } from '../endpointslice/index.ts'
import type { Mode, Settings } from '../settings/index.ts'
import type { Change } from './change.ts'
import { knownTime, knownVersion, readyTransitionTime } from './digests.ts'
import { HINTED_PODS, type Hint, type KeyHints } from './hint.ts'
import type { KeyText, ServiceKey } from './key.ts'
import { keyDigests } from './key-digests.ts'
import { createNodeTable } from './node-table.ts'
import {
  formFault,
  type MalformedObject,
  type ObjectKey,
  objectKey,
  type WatchedKind,
  type WatchedObjects,
} from './object-form.ts'
import { ownNamespaceOnly, type Permissions } from './permissions.ts'
import { isPatient, NO_ENDPOINT, namedPorts, type PodTraffic, podDigest, podTraffic } from './pod-facts.ts'
import type { PodEntry } from './pod-matches.ts'
import { createPodTable } from './pod-table.ts'
import { createLabelPool, createPool } from './pool.ts'
import { isSealedForDeletion } from './seal.ts'
import type { Selection } from './selection.ts'
import { createFleetSelectors, type FleetSelectors } from './selector-index.ts'
import { createServiceTable, type ServiceEntry } from './service-table.ts'
import { hintFor } from './slice-hint.ts'
import { createSliceTable, NO_SERVICE, type SliceEntry } from './slice-table.ts'
import { type JudgedContent, type JudgedKey, judge, type Verdict, type VerdictSettings } from './verdicts.ts'
import { areWrittenRight, podsChanged } from './written-pods.ts'

/** What a watch tells of one kind of objects goes in; the keys that it concerns come out. */
export interface KindIndex<T> {
  /** A whole list begins. */
  listing(): void
  /** The object is new or changed. */
  put(object: T): Change[]
  remove(object: T): Change[]
  /** The list is complete, as of this version; what it did not name is gone. */
  listed(resourceVersion?: string): Change[]
  /** Everything up to this version has been told. */
  bookmark(resourceVersion: string): void
}

/**
 * Knows of a cluster what is needed to tell which Services a change concerns, and no more: of a Service its selector
 * and a digest, of a Pod its labels and what enters an endpoint, of a Node its zone and capacity, of a slice its Service
 * and Pods.
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
  /** Tells where looking suffices for what changed, by what is known now. */
  hints(change: Change, settings: HintSettings): KeyHints
  /**
   * Judges every key of this cluster, one at a time: what changes between two is judged as it is then. A Service of another
   * cluster is never judged.
   */
  verdicts(settings: VerdictSettings): Generator<JudgedKey>
  /**
   * Verifies what functions have written of a Service since the last call. The function need not read back what it wrote:
   * Pods that are not published as they ought to be are a change.
   */
  verify(key: ServiceKey): Change[]
  /**
   * Whether the Pods that the change names are published as they ought to be already, so that nobody need look: whoever still
   * writes what they were before is verified.
   */
  isPublished(change: Change): boolean
  /** Judges one key of this cluster, at the cost of its own pods and slices. */
  verdict(key: ServiceKey, settings: VerdictSettings): Verdict
  /** Endpoints in the slices of a Service of this cluster. */
  endpoints(key: ServiceKey): number
  /** Objects remembered. */
  size(): { services: number; pods: number; nodes: number; slices: number }
}

/** What the indexes of clusters that are watched together share: which Services take pods of which cluster. */
export type Fleet = FleetSelectors<ServiceEntry>

/** @param onCluster called when a Service takes pods of a cluster that none took pods of before */
export const createFleet = (onCluster?: (cluster: string) => void): Fleet => createFleetSelectors(onCluster)

/** What bears on hints. */
export type HintSettings = Pick<Settings, 'maxEndpointsPerSlice' | 'maximumEndpoints'>

export interface IndexOptions {
  /** What Services may name. Default: pods of their own namespace only. */
  readonly permissions?: Permissions
  /** Told of each object that counts as absent since it is not of the API's form. */
  onMalformed?(object: MalformedObject): void
  /** Told of each Service of which a slice was written or deleted by us; not of those that a list only repeats. */
  onWritten?(service: ServiceKey): void
}

/** @param fleet the same for all clusters that are watched together; default: one of its own */
export function createClusterIndex(
  cluster: string,
  mode: Mode,
  fleet: Fleet = createFleet(),
  { permissions = ownNamespaceOnly(cluster), ...observer }: IndexOptions = {},
): ClusterIndex {
  const services = createServiceTable(cluster, { mode, permissions }, fleet)
  const pods = createPodTable()
  const nodes = createNodeTable()
  const slices = createSliceTable()
  const labels = createLabelPool()
  // By Service: Pods whose endpoints functions have written.
  const unverified = new Map<string, Set<string>>()
  const ports = createPool<string>((text) => text)

  const changeOf = ({ namespace, name, ...entry }: ServiceEntry, more: Partial<Change> = {}): Change => ({
    cluster: entry.cluster,
    namespace,
    service: name,
    ...more,
  })
  /** A pod's version is of no use to readers of another cluster, nor is its name there or in another namespace. */
  function podChangeOf(
    entry: ServiceEntry,
    pod: string,
    { resourceVersion, traffic: [before, after], ...cause }: PodCause,
  ): Change {
    const mayWait = isPatient(before, after) && !takesUnready(entry)
    const more: Partial<Change> = mayWait ? { ...cause, patient: true } : cause
    if (entry.cluster !== cluster) return changeOf(entry, more)
    return changeOf(entry, { ...more, resourceVersion, ...(takesOwnPods(entry) && { pods: [pod] }) })
  }
  const keyChange = (key: string): Change => {
    const [namespace = '', service = ''] = key.split('/')
    return { cluster, namespace, service }
  }

  function putService(key: ObjectKey, service: Service): Change[] {
    const { before, after } = services.put(key, service)
    if (before === after) return []
    // Slices that it left behind may be waiting for a word on the Service.
    const concerned =
      [before, after].some((entry) => entry !== undefined && isOurs(entry)) || slices.of(key).size > 0
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
    const concerned = (entry !== undefined && isOurs(entry)) || slices.of(key).size > 0
    return concerned ? [keyChange(key)] : []
  }

  function putPod(key: ObjectKey, pod: Pod): Change[] {
    const before = pods.get(key)
    const digest = podDigest(pod)
    const after: PodEntry = {
      namespace: pod.metadata?.namespace ?? '',
      labels: labels.acquire(pod.metadata?.labels ?? {}),
      digest,
      traffic: podTraffic(pod, digest),
      ports: ports.acquire(namedPorts(pod)),
      node: pod.spec?.nodeName ?? '',
      readyTime: readyTransitionTime(pod),
    }
    pods.set(key, after)
    if (before !== undefined) release(before)
    const concerned = servicesOfPodChange(before, after)
    if (concerned.size === 0) return []
    const moved = after.readyTime !== undefined && after.readyTime !== before?.readyTime
    const cause: PodCause = {
      ...(moved && { triggerTime: after.readyTime }),
      resourceVersion: knownVersion(pod.metadata?.resourceVersion),
      traffic: [before?.traffic ?? 'none', after.traffic],
    }
    return [...concerned].map((entry) => podChangeOf(entry, nameOf(key), cause))
  }

  function release(pod: PodEntry): void {
    labels.release(pod.labels)
    ports.release(pod.ports)
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
    return podGone(key, entry, knownVersion(pod.metadata?.resourceVersion))
  }

  function podGone(key: string, entry: PodEntry | undefined, resourceVersion?: string): Change[] {
    if (entry === undefined) return []
    release(entry)
    const cause: PodCause = { resourceVersion, traffic: [entry.traffic, 'none'] }
    return [...servicesWith(entry)].map((service) => podChangeOf(service, nameOf(key), cause))
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
    const { before, after } = nodes.put(name, node)
    const zoned = before?.zone === after.zone ? [] : [name]
    return nodesChanged(new Set(zoned), before?.zone !== after.zone || before.capacity !== after.capacity)
  }

  function removeNode(_key: ObjectKey, node: Node): Change[] {
    const name = node.metadata?.name ?? ''
    return nodes.delete(name, node) ? nodesChanged(new Set([name]), true) : []
  }

  function putSlice(key: ObjectKey, slice: EndpointSlice): Change[] {
    const { before, after } = slices.put(key, slice)
    const concerned = new Set<string>()
    if (!after.isSealed) concerned.add(after.service)
    if (before !== undefined && before.service !== after.service) concerned.add(before.service)
    concerned.delete(NO_SERVICE)
    const isNew = before?.resourceVersion !== after.resourceVersion
    if (after.isSealed && isNew) {
      noteWritten(before, after)
      observer.onWritten?.(keyChange(after.service))
    }
    return [...concerned].map(keyChange)
  }

  /** The names of Pods that were published anew, to be verified. */
  function noteWritten(before: SliceEntry | undefined, after: SliceEntry): void {
    if (!slices.hasListed) return
    const names = unverified.get(after.service) ?? new Set()
    unverified.set(after.service, names)
    for (const name of podsChanged(before, after)) names.add(name)
  }

  function verify({ namespace, service: name }: ServiceKey): Change[] {
    const key = `${namespace}/${name}`
    const service = services.get(key)
    const names = unverified.get(key)
    unverified.delete(key)
    if (names === undefined) return []
    // Whoever wrote had seen a Service that asked for slices.
    if (service === undefined || !isOurs(service)) return slices.of(key).size > 0 ? [keyChange(key)] : []
    if (!isVerifiable(service) || names.size === 0) return []
    if (arePublished(names, service)) return []
    return [changeOf(service, names.size <= HINTED_PODS ? { pods: [...names] } : {})]
  }

  function arePublished(names: ReadonlySet<string>, service: ServiceEntry): boolean {
    const { namespace } = service
    return areWrittenRight({
      names,
      service,
      slices: slices.of(`${namespace}/${service.name}`),
      pod: (name) => {
        const pod = `${namespace}/${name}`
        return isEndpointOf(pod, service) ? pods.get(pod) : undefined
      },
      node: nodes.get,
    })
  }

  function isPublished({ pods: names, ...key }: Change): boolean {
    const service = key.cluster === cluster ? services.get(`${key.namespace}/${key.service}`) : undefined
    if (names === undefined || service === undefined || !isVerifiable(service)) return false
    const ours = [...slices.of(`${key.namespace}/${key.service}`)]
    // A slice without endpoints may be one too many, and a Service without slices lacks one.
    const areWhole = ours.length > 0 && ours.every(({ isSealed, endpoints }) => isSealed && endpoints > 0)
    return areWhole && arePublished(new Set(names), service)
  }

  function removeSlice(key: ObjectKey, slice: EndpointSlice): Change[] {
    const entry = slices.delete(key, slice)
    if (!isSealedForDeletion(slice)) return sliceGone(entry)
    if (entry !== undefined) observer.onWritten?.(keyChange(entry.service))
    return []
  }

  /** The names of its Pods and slices are those of its own cluster and namespace. */
  function hints({ pods: names, ...key }: Change, settings: HintSettings): KeyHints {
    const text = `${key.namespace}/${key.service}`
    const service = key.cluster === cluster ? services.get(text) : undefined
    if (service === undefined || !takesOwnPods(service)) return {}
    const { changedAt: nodesVersion } = nodes
    const hint =
      names !== undefined && isHintable(service)
        ? hintFor({
            pods: names,
            slices: slices.of(text),
            slicesVersion: slices.version,
            isEndpoint: (name) => isEndpointOf(`${key.namespace}/${name}`, service),
            maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
          })
        : undefined
    return {
      ...(hint && { hint: { ...hint, ...selectedPods(service, settings) } }),
      ...(nodesVersion !== undefined && { nodesVersion }),
      ...(hint && service.resourceVersion !== undefined && { serviceVersion: service.resourceVersion }),
      ...(isVerifiable(service) && { relayVerifies: true }),
    }
  }

  /** Without a limit nobody asks, and counting is not free. */
  function selectedPods(
    { selection }: ServiceEntry,
    { maximumEndpoints }: HintSettings,
  ): Pick<Hint, 'selected'> {
    if (maximumEndpoints === 0 || selection.kind !== 'managed') return {}
    return { selected: sum(pods.selected(selection), () => 1) }
  }

  const isEndpointOf = (pod: string, service: ServiceEntry): boolean =>
    servicesWith(pods.get(pod)).has(service)

  /** Only a managed Service misses its slice; the slices of a deleted Service go with it. */
  function sliceGone(entry: SliceEntry | undefined): Change[] {
    const service = entry === undefined ? undefined : services.get(entry.service)
    return service !== undefined && hasSlices(service.selection) ? [changeOf(service)] : []
  }

  /** The managed Services, and those that slices of ours name. */
  function ownKeys(): Set<string> {
    const keys = new Set(slices.services())
    for (const [key, entry] of services.entries()) if (isOurs(entry)) keys.add(key)
    keys.delete(NO_SERVICE)
    return keys
  }

  /** An object that is not of the API's form counts as absent. */
  function kindIndex<Kind extends WatchedKind, T extends WatchedObjects[Kind]>(
    kind: Kind,
    { put, remove, bookmark = () => undefined, ...lists }: TableOf<WatchedObjects[Kind]>,
  ): KindIndex<T> {
    const removeObject = (object: T): Change[] => {
      const key = objectKey(kind, object)
      return key === undefined ? [] : remove(key, object)
    }
    return {
      ...lists,
      bookmark,
      put(object) {
        const key = objectKey(kind, object)
        const malformed = formFault(kind, object)
        if (key !== undefined && malformed === undefined) return put(key, object)
        if (malformed !== undefined) observer.onMalformed?.(malformed)
        return removeObject(object)
      },
      remove: removeObject,
    }
  }

  const judged: JudgedContent = {
    service: services.get,
    slices: slices.of,
    pods: pods.selected,
    node: nodes.get,
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
      listed: () => pods.listed().flatMap(([key, entry]) => podGone(key, entry)),
    }),
    nodes: kindIndex('Node', {
      listing: nodes.listing,
      put: putNode,
      remove: removeNode,
      listed: (resourceVersion) => {
        const gone = nodes.listed(resourceVersion)
        return nodesChanged(gone, gone.size > 0)
      },
    }),
    slices: kindIndex('EndpointSlice', {
      listing: slices.listing,
      put: putSlice,
      remove: removeSlice,
      listed: (resourceVersion) => slices.listed(resourceVersion).flatMap(sliceGone),
      bookmark: slices.bookmark,
    }),
    keys: () => [...[...ownKeys()].map(keyChange), ...services.foreign().map((entry) => changeOf(entry))],
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
    *verdicts(settings) {
      for (const key of ownKeys()) yield { ...keyChange(key), verdict: judge(key, judged, settings) }
    },
    verdict: ({ namespace, service }, settings) => judge(`${namespace}/${service}`, judged, settings),
    hints,
    verify,
    isPublished,
    endpoints: ({ cluster: of, namespace, service }) =>
      of === cluster ? sum(slices.of(`${namespace}/${service}`), ({ endpoints }) => endpoints) : 0,
    size: () => ({ services: services.size, pods: pods.size, nodes: nodes.size, slices: slices.size }),
  }
}

/** What is done with objects of one kind; `key` is theirs. */
interface TableOf<T>
  extends Pick<KindIndex<T>, 'listing' | 'listed'>,
    Partial<Pick<KindIndex<T>, 'bookmark'>> {
  put(key: ObjectKey, object: T): Change[]
  remove(key: ObjectKey, object: T): Change[]
}

/** What is known of a Pod's change. */
interface PodCause extends Partial<Pick<Change, 'triggerTime' | 'resourceVersion'>> {
  readonly traffic: readonly [before: PodTraffic, after: PodTraffic]
}

/** Whether it leads to Pods that are not ready, too. */
const takesUnready = ({ service }: ServiceEntry): boolean => service.spec?.publishNotReadyAddresses === true

/** Whether a change of the Service can call for a write. */
const isOurs = ({ selection }: ServiceEntry): boolean => selection.kind !== 'unmanaged'

/** Whether slices of the Service's must be there. */
const hasSlices = ({ kind }: Selection): boolean => kind === 'managed' || kind === 'static'

/** Whether its endpoints are Pods of its own namespace and cluster, by their own addresses. */
const takesOwnPods = ({ selection }: ServiceEntry): boolean =>
  selection.kind === 'managed' && selection.cluster === undefined

/** What a look at single Pods and slices can decide. */
const isHintable = ({ selection, topologyHints }: ServiceEntry): boolean =>
  selection.kind === 'managed' && selection.network === undefined && !topologyHints

/** Whose slices are verified here when they were written. */
const isVerifiable = (service: ServiceEntry): boolean => takesOwnPods(service) && isHintable(service)

/** Of a key `namespace/name`. */
const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1)

function sum<T>(items: Iterable<T>, numberOf: (item: T) => number): number {
  let total = 0
  for (const item of items) total += numberOf(item)
  return total
}
