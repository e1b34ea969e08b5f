import { isAsNew, type PodSelection, type ReadAhead } from '../../changes/index.ts'
import {
  type EndpointSlice,
  type Node,
  type Pod,
  podForPlanning,
  type Service,
} from '../../endpointslice/index.ts'
import { formatLabelSelector, PODS } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { TakenState } from '../write/state-cache.ts'
import {
  areAsRelaySaw,
  type FactsLimit,
  type FactsQuestion,
  isServiceAsRelaySaw,
  selectedOfFacts,
} from './pods-of-facts.ts'
import { apisOf, type OwnerReader } from './read-owner.ts'
import type { ReadableCluster } from './readable-cluster.ts'

interface ReadAheadOptions extends Pick<FactsQuestion, 'key' | 'now'>, TakenState {
  readonly home: ReadableCluster
  readonly owners: Pick<OwnerReader, 'read'>
  /** Awaited before a list goes beyond its first page. */
  readonly beforeMore: () => Promise<void>
  readonly signal: AbortSignal
}

/** Pods, and of which version if they need not be the newest. */
export interface PodsAhead {
  readonly pods: readonly Pod[]
  readonly version?: string | undefined
  /** Their Nodes, if the message says what they are. */
  readonly nodes?: readonly Node[]
  /** What a plan by them may not do, where they are what a message says. Absent: it may do anything. */
  readonly limit?: FactsLimit | undefined
}

interface FoundService {
  readonly service: Service | undefined
}

/**
 * Service, Pods and Nodes that are read together with the slices instead of after them, from where the relay
 * says. All of it must be at least as new as what the writers of the slices had read (KEP-5504: all kinds
 * count their versions together):
 * - the Service is, if the relay had seen all of these slices when it made the message: they were written
 *   before, and the Service is read afterwards;
 * - the Pods are, if their list has a version that no slice is above. It comes from the API server's cache,
 *   which waits up to 100 ms where it is to answer with the newest. They are not read if the message says
 *   what the relay has seen of them, and Service and slices are those that it had seen. If a slice is above
 *   that, they are read all the same where a plan by them would change an endpoint.
 *
 * Otherwise, and where a read failed, they are read in order.
 */
export class AheadReads {
  readonly #cached: readonly EndpointSlice[] | undefined
  readonly #mayHaveNone: boolean
  readonly #ahead: ReadAhead
  readonly #key: KeyMessage
  /** What there is of the Service; `undefined` if it could not be read. */
  readonly #service: Promise<FoundService | undefined>
  readonly #pods: Promise<PodsAhead | undefined>
  readonly #nodes: Promise<unknown> | false

  constructor(
    ahead: ReadAhead,
    {
      home: { client, nodes: reader },
      owners,
      key,
      beforeMore,
      signal,
      slices,
      isCached,
      ...known
    }: ReadAheadOptions,
  ) {
    const { podsVersion, selector, nodes = [], selected } = ahead
    const { namespace, nodesVersion, history } = key
    const names = new Set(nodes)
    this.#cached = slices
    this.#mayHaveNone = !isCached && ahead.slices?.length === 0
    this.#ahead = ahead
    this.#key = key
    this.#service = orNothing(owners.read(client, key, { signal }).then((service) => ({ service })))
    const taken = selected && selectedOfFacts(selected, { key, ...known })
    if (taken !== undefined) {
      const limit = selected?.facts.addsEndpoints === true ? undefined : 'noneAdded'
      const { pods, nodes: ofPods } = taken
      this.#pods = Promise.resolve({ pods, version: key.podsVersion, nodes: ofPods, limit })
      this.#nodes = false
      return
    }
    if (selector === undefined) {
      this.#pods = Promise.resolve(undefined)
      this.#nodes = false
      return
    }
    const list = { namespace, labelSelector: selector, notOlderThan: podsVersion, beforeMore, signal }
    this.#pods = orNothing(
      client
        .list(PODS, { ...list, select: podForPlanning })
        .then(({ items, metadata }) => ({ pods: items, version: metadata.resourceVersion })),
    )
    // They are cached, for those that are found to be selected.
    this.#nodes = names.size > 0 && orNothing(reader.named({ names, nodesVersion, history, signal }))
  }

  /** A version that the slices have reached at least: the relay has seen it. */
  get slicesVersion(): string {
    return this.#ahead.slicesVersion
  }

  /**
   * Returns all slices of the Service if they need not be read: they are cached, or the relay saw none when
   * it saw the Service as it is. A slice that another function has created since has the name of the one that
   * is created now, which conflicts; one of another name the relay verifies, as both hold the same Pods.
   */
  async slices(): Promise<readonly EndpointSlice[] | undefined> {
    if (!this.#mayHaveNone) return this.#cached
    const { service } = (await this.#service) ?? {}
    return service && isServiceAsRelaySaw(this.#key, { service }) ? [] : undefined
  }

  /**
   * Returns the Service, or that there is none, if that is as new as the slices; an EndpointSelector, if the
   * slices have no owner of another API than its own. Whether such an owner still exists cannot be known
   * before the slices are read.
   */
  async service(slices: readonly EndpointSlice[]): Promise<FoundService | undefined> {
    if (!isNoneAbove(this.slicesVersion, slices)) return undefined
    const found = await this.#service
    if (this.#key.ownerKind === undefined) return found
    const { service } = found ?? {}
    return service && [...apisOf(slices)].every((api) => api === service.apiVersion) ? found : undefined
  }

  /**
   * Returns the Pods of the Service's own cluster that are selected, if they are as new as the slices, or
   * good for a plan that changes no endpoint.
   */
  async pods(
    { namespace, selector }: PodSelection,
    slices: readonly EndpointSlice[],
  ): Promise<PodsAhead | undefined> {
    const { selector: listed } = this.#ahead
    if (namespace !== this.#key.namespace || formatLabelSelector(selector) !== listed) return undefined
    const [ahead] = await Promise.all([this.#pods, this.#nodes])
    if (ahead === undefined) return undefined
    const areAsNew = isNoneAbove(ahead.version, slices)
    if (ahead.nodes === undefined) return areAsNew ? ahead : undefined
    if (!(await this.#areAsRelaySaw(slices))) return undefined
    return areAsNew ? ahead : { ...ahead, limit: 'noneChanged' }
  }

  /** Reports whether Service and slices are those that the relay had seen when it knew the Pods. */
  async #areAsRelaySaw(slices: readonly EndpointSlice[]): Promise<boolean> {
    const { service } = (await this.#service) ?? {}
    const { slices: names, sliceVersions } = this.#ahead
    return (
      service !== undefined &&
      names?.length === slices.length &&
      areAsRelaySaw({ slices: names, sliceVersions }, this.#key, { service, slices })
    )
  }
}

const orNothing = <T>(read: Promise<T>): Promise<T | undefined> => read.catch(() => undefined)

const isNoneAbove = (version: string | undefined, slices: readonly EndpointSlice[]): boolean =>
  version !== undefined && slices.every(({ metadata }) => isAsNew(version, metadata?.resourceVersion))
