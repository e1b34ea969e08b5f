import type { PodSelection, Selection } from '../../shared/changes/index.ts'
import {
  addressSource,
  foreignPodSource,
  hintModeOf,
  type Node,
  type PlanState,
  type Pod,
  podsOnNetwork,
  type SelectedPods,
  type Service,
  type SkippedObject,
} from '../../shared/endpointslice/index.ts'
import { formatLabelSelector, PODS } from '../../shared/kubernetes/index.ts'
import type { ReadableCluster } from './clusters.ts'

export interface EndpointReaderOptions {
  /** The Service's own cluster. */
  readonly cluster: string
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly signal: AbortSignal
}

/** What a plan needs to know of endpoints, and what had to be left out. */
export interface ReadEndpoints extends Pick<PlanState, 'pods' | 'nodes' | 'source'> {
  readonly skipped: readonly SkippedObject[]
  /** The pods that the Service selects, for those who explain; absent when it selects none. */
  readonly selected?: SelectedPods
}

/**
 * A function that reads what the endpoints of one Service are made of: pods and nodes of its own cluster or of another
 * one, or nothing for addresses that the Service itself tells. A second read costs little as long as the pods are the same.
 * @throws KubernetesError when any read failed, be it of the other cluster: a partial read is never planned with
 * @throws UnknownClusterError
 */
export function createEndpointReader({
  cluster,
  clusterOf,
  signal,
}: EndpointReaderOptions): (
  service: Service,
  selection: Selection & { kind: 'managed' | 'static' },
) => Promise<ReadEndpoints> {
  let known: readonly Pod[] | undefined

  /** Whole Pods are large: a second read asks for their metadata first, and for the rest only if something has changed. */
  async function readPods({ client }: ReadableCluster, selection: PodSelection): Promise<readonly Pod[]> {
    const { namespace, selector } = selection
    const list = { namespace, labelSelector: formatLabelSelector(selector), signal }
    if (known !== undefined) {
      const { items } = await client.list(PODS, { ...list, metadataOnly: true })
      if (haveSameVersions(items, known)) return known
    }
    known = (await client.list(PODS, list)).items
    return known
  }

  async function readNodes({ nodes }: ReadableCluster, service: Service): Promise<readonly Node[]> {
    return nodes.read({ whole: hintModeOf(service) === 'topology', signal })
  }

  /** Zones and processors of the Service's own cluster, whose nodes the hints are for. */
  async function readHintNodes(service: Service): Promise<readonly Node[]> {
    return hintModeOf(service) === 'topology' ? readNodes(clusterOf(cluster), service) : []
  }

  async function readSelected(service: Service, selection: PodSelection): Promise<ReadEndpoints> {
    const isForeign = selection.cluster !== undefined && selection.cluster !== cluster
    const from = clusterOf(selection.cluster ?? cluster)
    const selected = await readPods(from, selection)
    const nodes = selected.length > 0 ? await readNodes(from, service) : []
    const { pods, unattached, skipped } =
      selection.network === undefined
        ? { pods: selected, unattached: [], skipped: [] }
        : podsOnNetwork(selected, selection.network)
    const seen = { pods, nodes, unattached, skipped, areForeign: isForeign }
    if (!isForeign) return { pods, nodes, skipped, selected: seen }
    const source = foreignPodSource({ pods, nodes })
    return { pods: [], nodes: await readHintNodes(service), source, skipped, selected: seen }
  }

  return async (service, selection) => {
    if (selection.kind === 'managed') return readSelected(service, selection)
    const source = addressSource(selection.addresses)
    return { pods: [], nodes: await readHintNodes(service), source, skipped: [] }
  }
}

function haveSameVersions(some: readonly Pod[], others: readonly Pod[]): boolean {
  const versions = new Map(others.map(({ metadata }) => [metadata?.uid, metadata?.resourceVersion]))
  return (
    some.length === versions.size &&
    some.every(({ metadata }) => versions.get(metadata?.uid) === metadata?.resourceVersion)
  )
}
