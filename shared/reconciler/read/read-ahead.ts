import type { ReadAhead } from '../../changes/index.ts'
import {
  compareVersions,
  type EndpointSlice,
  type Pod,
  podForPlanning,
  type Service,
} from '../../endpointslice/index.ts'
import { type ObjectList, PODS } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { apisOf, type OwnerReader } from './read-owner.ts'
import type { ReadableCluster } from './readable-cluster.ts'

interface ReadAheadOptions {
  readonly home: ReadableCluster
  readonly owners: Pick<OwnerReader, 'read'>
  readonly key: KeyMessage
  /** Awaited before a list goes beyond its first page. */
  readonly beforeMore: () => Promise<void>
  readonly signal: AbortSignal
}

/** Pods that were read ahead, and of which version. */
interface PodsAhead {
  readonly pods: readonly Pod[]
  readonly version?: string | undefined
}

/**
 * Service, Pods and Nodes that are read together with the slices instead of after them, from where the relay
 * says. All of it must be at least as new as what the writers of the slices had read (KEP-5504: all kinds
 * count their versions together):
 * - the Service is, if the relay had seen all of these slices when it made the message: they were written
 *   before, and the Service is read afterwards;
 * - the Pods are, if their list has a version that no slice is above. It comes from the API server's cache,
 *   which waits up to 100 ms where it is to answer with the newest.
 *
 * Otherwise, and where a read failed, they are read in order.
 */
export class AheadReads {
  /** A version that the slices have reached at least: the relay has seen it. */
  readonly slicesVersion: string
  readonly #selector: string
  readonly #service: Promise<Service | undefined>
  readonly #pods: Promise<ObjectList<Pod> | undefined>
  readonly #nodes: Promise<unknown> | false

  constructor(
    { slicesVersion, podsVersion, selector, nodes = [] }: ReadAhead,
    { home: { client, nodes: reader }, owners, key, beforeMore, signal }: ReadAheadOptions,
  ) {
    const { namespace, nodesVersion, history } = key
    const names = new Set(nodes)
    this.slicesVersion = slicesVersion
    this.#selector = selector
    this.#service = orNothing(owners.read(client, key, { signal }))
    const list = { namespace, labelSelector: selector, notOlderThan: podsVersion, beforeMore, signal }
    this.#pods = orNothing(client.list(PODS, { ...list, select: podForPlanning }))
    // They are cached, for those that are found to be selected.
    this.#nodes = names.size > 0 && orNothing(reader.named({ names, nodesVersion, history, signal }))
  }

  /**
   * Returns the Service, if it is as new as the slices; an EndpointSelector, if the slices have no owner of
   * another API than its own. Whether such an owner still exists cannot be known before the slices are read.
   */
  async service(slices: readonly EndpointSlice[]): Promise<Service | undefined> {
    if (!isNoneAbove(this.slicesVersion, slices)) return undefined
    const service = await this.#service
    return [...apisOf(slices)].every((api) => api === service?.apiVersion) ? service : undefined
  }

  /** Returns the Pods that a selector takes, if they are as new as the slices. */
  async pods(selector: string, slices: readonly EndpointSlice[]): Promise<PodsAhead | undefined> {
    if (selector !== this.#selector) return undefined
    const [list] = await Promise.all([this.#pods, this.#nodes])
    const version = list?.metadata.resourceVersion
    return list !== undefined && isNoneAbove(version, slices) ? { pods: list.items, version } : undefined
  }
}

const orNothing = <T>(read: Promise<T>): Promise<T | undefined> => read.catch(() => undefined)

const isNoneAbove = (version: string | undefined, slices: readonly EndpointSlice[]): boolean =>
  version !== undefined &&
  slices.every(({ metadata }) => compareVersions(version, metadata?.resourceVersion ?? '') >= 0)
