import type { PodSelection, Selection } from '../../changes/index.ts'
import {
  type EndpointSlice,
  foreignPodSource,
  hintModeOf,
  type Node,
  type Pod,
  type PodsOnNetwork,
  parseIp,
  podForPlanning,
  podsOnNetwork,
  type Service,
  type SkippedObject,
} from '../../endpointslice/index.ts'
import { formatLabelSelector, KubernetesError, PODS, TooLargeVersionError } from '../../kubernetes/index.ts'
import { blockListOf } from '../../settings/index.ts'
import {
  type EndpointPart,
  labelsOfParts,
  type PodsAndNodes,
  withoutSharedAddresses,
} from './endpoint-parts.ts'
import { type NodesKnowledge, nodesOf } from './node-reader.ts'
import { withoutAddresses } from './pod-addresses.ts'
import type { AheadReads, PodsAhead } from './read-ahead.ts'
import type { ReadableCluster } from './readable-cluster.ts'

interface EndpointReaderOptions extends NodesKnowledge {
  /** The Service's own cluster. */
  readonly cluster: string
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  /** Awaited before a list goes beyond its first page; default: nothing. */
  readonly beforeMore?: (() => Promise<void>) | undefined
  readonly signal: AbortSignal
}

export interface EndpointRead {
  readonly service: Service
  readonly selection: Selection & { kind: 'managed' | 'sourced' }
  /** The Service's slices that were read before. */
  readonly slices: readonly EndpointSlice[]
  /** A version that the pods have reached at least, and need not have passed; only for a first read. */
  readonly notOlderThan?: string | undefined
  /** What was read together with the slices; only for a first read. Default: nothing. */
  readonly ahead?: AheadReads | undefined
}

/** A managed Service as it was read and selected. */
export interface Managed extends EndpointRead {
  /** Slices of clusters that are planned apart, whose names are taken; default: none. */
  readonly apart?: readonly EndpointSlice[]
}

/** A cached list comes in one piece, whatever its size; above this the newest Pods come in pages. */
const MAX_CACHED = 500

/**
 * Reads what the endpoints of one Service are made of, a part for each cluster: pods and nodes of its own
 * cluster or of others, or nothing for addresses that the Service itself names.
 *
 * A second read costs little as long as the pods stay the same. A first read may name a minimum resource
 * version: pods of its own cluster are then at least so new, and otherwise the newest. A version that the
 * cluster does not know, as it was restored or made again, does not count. Another cluster that does not
 * answer, or refuses, gives a part that is unread.
 */
export class EndpointReader {
  readonly #options: EndpointReaderOptions
  /** By cluster, as those that were made of one snapshot have Pods of the same uids and versions. */
  readonly #known = new Map<string, readonly Pod[]>()

  constructor(options: EndpointReaderOptions) {
    this.#options = options
  }

  /**
   * @throws KubernetesError when a read of the Service's own cluster failed: no plan is made of half of it
   * @throws UnknownClusterError
   */
  async read(read: EndpointRead): Promise<readonly EndpointPart[]> {
    const { cluster, clusterOf, signal } = this.#options
    const { service, selection } = read
    if (selection.kind === 'managed') return this.#readParts(read, selection)
    const { client } = clusterOf(cluster)
    const source = await selection.source.read(selection.asked, { service, client, signal })
    const endpoints = { pods: [], nodes: await this.#readHintNodes(service), source, skipped: [] }
    return [{ cluster, labels: {}, endpoints }]
  }

  /** Reads all clusters at once. */
  async #readParts(read: EndpointRead, selection: PodSelection): Promise<readonly EndpointPart[]> {
    const { cluster, clusterOf, signal } = this.#options
    const clusters = selection.clusters ?? [cluster]
    // An unknown one is reported before any is read.
    for (const each of clusters) clusterOf(each)
    const isElsewhere = clusters.some((each) => each !== cluster)
    const hintNodes = isElsewhere ? await this.#readHintNodes(read.service) : []
    const labels = labelsOfParts(clusters)
    const parts = await Promise.all(
      clusters.map(async (each): Promise<EndpointPart> => {
        const part = { cluster: each, labels: labels.get(each) ?? {} }
        try {
          return { ...part, endpoints: await this.#readSelected(each, selection, { ...read, hintNodes }) }
        } catch (error) {
          signal.throwIfAborted()
          if (each === cluster || !(error instanceof KubernetesError)) throw error
          return { ...part, error }
        }
      }),
    )
    return withoutSharedAddresses(read, parts)
  }

  /** @param hintNodes for topology hints, of the Service's own cluster */
  async #readSelected(
    from: string,
    selection: PodSelection,
    { hintNodes, ...read }: EndpointRead & { readonly hintNodes: readonly Node[] },
  ): Promise<PodsAndNodes> {
    const isForeign = from !== this.#options.cluster
    const known = isForeign ? undefined : await this.#readAhead(selection, read)
    const { version, limit, ...selected } = known ?? (await this.#readPods(from, selection, read))
    const nodes = await this.#readNodes(from, selected, read)
    const { pods, unattached, refused, ...unreadable } = onNamedNetwork(selected.pods, selection)
    const inputs = {
      ...{ pods, nodes, unattached, refused, skipped: unreadable.skipped, areForeign: isForeign },
      cluster: selection.clusters && from,
    }
    const skipped = [...unreadable.skipped, ...refused]
    if (!isForeign) return { pods, nodes, skipped, selected: inputs, podsVersion: version, limit }
    const source = foreignPodSource({ pods, nodes })
    return { pods: [], nodes: hintNodes, source, skipped, selected: inputs }
  }

  async #readAhead(selection: PodSelection, { ahead, slices }: EndpointRead): Promise<PodsAhead | undefined> {
    const known = await ahead?.pods(selection, slices)
    // Pods that a message knows have no versions to compare.
    return known === undefined || known.nodes !== undefined
      ? known
      : this.#remember(this.#options.cluster, known.pods, known.version)
  }

  /** Reads the Pods; a second time their metadata first, and the rest only if something has changed. */
  async #readPods(
    from: string,
    { namespace, selector }: PodSelection,
    { slices, notOlderThan }: EndpointRead,
  ): Promise<PodsAhead> {
    const { cluster, clusterOf, beforeMore, signal } = this.#options
    const { client } = clusterOf(from)
    const before = this.#known.get(from)
    const list = { namespace, labelSelector: formatLabelSelector(selector), signal }
    // A batch holds the pods of many Services at once.
    const newest = { ...list, select: podForPlanning, ...(beforeMore && { beforeMore }) }
    if (before !== undefined) {
      const { items } = await client.list(PODS, { ...list, metadataOnly: true })
      if (haveSameVersions(items, before)) return { pods: before }
    } else if (from === cluster && notOlderThan !== undefined && endpointsIn(slices) <= MAX_CACHED) {
      const cached = await client.list(PODS, { ...newest, notOlderThan }).catch(tooLarge)
      if (cached !== undefined) return this.#remember(from, cached.items, cached.metadata.resourceVersion)
    }
    return this.#remember(from, (await client.list(PODS, newest)).items)
  }

  #remember(from: string, pods: readonly Pod[], version?: string): PodsAhead {
    this.#known.set(from, pods)
    return { pods, version }
  }

  async #readNodes(
    from: string,
    { pods, nodes }: Pick<PodsAhead, 'pods' | 'nodes'>,
    { service, slices }: EndpointRead,
  ): Promise<readonly Node[]> {
    const { cluster, clusterOf, beforeMore: _, signal, ...ofNodes } = this.#options
    const isForeign = from !== cluster
    const names = nodesOf(pods)
    const { nodes: reader } = clusterOf(from)
    if (!isForeign && names.size > 0 && hintModeOf(service) === 'topology') return reader.all(signal)
    // Versions of another cluster's Nodes are not those that the message names.
    return nodes ?? reader.named({ names, signal, ...(!isForeign && { ...ofNodes, slices }) })
  }

  /** Zones and processors of the Service's own cluster, whose nodes the hints are for. */
  async #readHintNodes(service: Service): Promise<readonly Node[]> {
    const { cluster, clusterOf, signal } = this.#options
    return hintModeOf(service) === 'topology' ? clusterOf(cluster).nodes.all(signal) : []
  }
}

/** Returns the Pods with their addresses on the Service's network that its namespace may publish. */
function onNamedNetwork(
  selected: readonly Pod[],
  { network, networkRanges = [] }: PodSelection,
): PodsOnNetwork & { readonly refused: readonly SkippedObject[] } {
  if (network === undefined) return { pods: [...selected], unattached: [], skipped: [], refused: [] }
  const { pods, ...others } = podsOnNetwork(selected, network)
  const allowed = blockListOf(networkRanges)
  const refused: SkippedObject[] = []
  function problemOf(address: string): string | undefined {
    const ip = parseIp(address)
    if (ip === undefined || allowed.check(ip.text, ip.type === 'IPv4' ? 'ipv4' : 'ipv6')) return undefined
    return `on the network ${network} may not be published (setting allowedNetworks)`
  }
  const permitted = pods.map((pod) => withoutAddresses(pod, problemOf, (one) => refused.push(one)))
  return { pods: permitted, ...others, refused }
}

const endpointsIn = (slices: readonly EndpointSlice[]): number =>
  slices.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0)

function tooLarge(error: unknown): undefined {
  if (!(error instanceof TooLargeVersionError)) throw error
}

function haveSameVersions(some: readonly Pod[], others: readonly Pod[]): boolean {
  const versions = new Map(others.map(({ metadata }) => [metadata?.uid, metadata?.resourceVersion]))
  return (
    some.length === versions.size &&
    some.every(({ metadata }) => versions.get(metadata?.uid) === metadata?.resourceVersion)
  )
}
