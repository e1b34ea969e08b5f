import type { ReadAhead } from '../../changes/index.ts'
import { type EndpointSlice, type Pod, podForPlanning, type Service } from '../../endpointslice/index.ts'
import { type ObjectList, PODS } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { OwnerReader } from './read-owner.ts'
import type { ReadableCluster } from './readable-cluster.ts'
import { minimumResourceVersion } from './stale-reads.ts'

export interface ReadAheadOptions {
  readonly home: ReadableCluster
  readonly owners: Pick<OwnerReader, 'read'>
  readonly key: KeyMessage
  /** Awaited before a list goes beyond its first page. */
  readonly beforeMore: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Service, Pods and Nodes that are read together with the slices instead of after them. They count where
 * their versions are above those of all slices (KEP-5504): then no writer of these has seen anything newer.
 * Otherwise, and where a read failed, they are read in order.
 */
export class AheadReads {
  readonly #selector: string
  readonly #service: Promise<Service | undefined>
  readonly #pods: Promise<ObjectList<Pod> | undefined>
  readonly #nodes: Promise<unknown> | false

  /** Begins to read. */
  constructor(
    { selector, nodes = [] }: ReadAhead,
    { home: { client, nodes: reader }, owners, key, beforeMore, signal }: ReadAheadOptions,
  ) {
    const { namespace, nodesVersion, history } = key
    const names = new Set(nodes)
    this.#selector = selector
    this.#service = orNothing(owners.read(client, key, { signal }))
    this.#pods = orNothing(
      client.list(PODS, { namespace, labelSelector: selector, select: podForPlanning, beforeMore, signal }),
    )
    // They are cached, for those that are found to be selected.
    this.#nodes = names.size > 0 && orNothing(reader.named({ names, nodesVersion, history, signal }))
  }

  /** Returns the Service, if it is newer than the slices. */
  async service(slices: readonly EndpointSlice[]): Promise<Service | undefined> {
    const service = await this.#service
    return isAbove(service?.metadata?.resourceVersion, slices) ? service : undefined
  }

  /** Returns the Pods that a selector takes, if they are newer than the slices. */
  async pods(selector: string, slices: readonly EndpointSlice[]): Promise<readonly Pod[] | undefined> {
    if (selector !== this.#selector) return undefined
    const [list] = await Promise.all([this.#pods, this.#nodes])
    return isAbove(list?.metadata.resourceVersion, slices) ? list?.items : undefined
  }
}

const orNothing = <T>(read: Promise<T>): Promise<T | undefined> => read.catch(() => undefined)

const isAbove = (version: string | undefined, slices: readonly EndpointSlice[]): boolean =>
  minimumResourceVersion(
    version,
    slices.map(({ metadata }) => metadata?.resourceVersion ?? ''),
  ) !== undefined
