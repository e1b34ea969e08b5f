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
import { formatLabelSelector, PODS, TooLargeVersionError } from '../../shared/kubernetes/index.ts'
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
  /** How new the pods are, where a cache answered; absent when they are the newest. */
  readonly podsVersion?: string
}

interface ReadPods {
  readonly pods: readonly Pod[]
  readonly version?: string
}

/**
 * A function that reads what the endpoints of one Service are made of: pods and nodes of its own cluster or of another
 * one, or nothing for addresses that the Service itself tells. A second read costs little as long as the pods are the same.
 * A first read may have a floor: pods of its own cluster are then as new as that at least, and otherwise the newest. A floor
 * that the cluster does not know, having been restored or made anew, counts for nothing.
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
  floor?: string,
) => Promise<ReadEndpoints> {
  let known: readonly Pod[] | undefined

  /** Whole Pods are large: a second read asks for their metadata first, and for the rest only if something has changed. */
  async function readPods(
    { client }: ReadableCluster,
    selection: PodSelection,
    floor: string | undefined,
  ): Promise<ReadPods> {
    const { namespace, selector } = selection
    const list = { namespace, labelSelector: formatLabelSelector(selector), signal }
    if (known !== undefined) {
      const { items } = await client.list(PODS, { ...list, metadataOnly: true })
      if (haveSameVersions(items, known)) return { pods: known }
    } else if (floor !== undefined) {
      const cached = await client.list(PODS, { ...list, notOlderThan: floor }).catch(tooLarge)
      if (cached !== undefined) {
        known = cached.items
        return { pods: known, version: cached.metadata.resourceVersion }
      }
    }
    known = (await client.list(PODS, list)).items
    return { pods: known }
  }

  async function readNodes({ nodes }: ReadableCluster, service: Service): Promise<readonly Node[]> {
    return nodes.read({ whole: hintModeOf(service) === 'topology', signal })
  }

  /** Zones and processors of the Service's own cluster, whose nodes the hints are for. */
  async function readHintNodes(service: Service): Promise<readonly Node[]> {
    return hintModeOf(service) === 'topology' ? readNodes(clusterOf(cluster), service) : []
  }

  async function readSelected(
    service: Service,
    selection: PodSelection,
    floor: string | undefined,
  ): Promise<ReadEndpoints> {
    const isForeign = selection.cluster !== undefined && selection.cluster !== cluster
    const from = clusterOf(selection.cluster ?? cluster)
    const { pods: selected, version } = await readPods(from, selection, isForeign ? undefined : floor)
    const nodes = selected.length > 0 ? await readNodes(from, service) : []
    const { pods, unattached, skipped } =
      selection.network === undefined
        ? { pods: selected, unattached: [], skipped: [] }
        : podsOnNetwork(selected, selection.network)
    const seen = { pods, nodes, unattached, skipped, areForeign: isForeign }
    const podsVersion = version === undefined ? {} : { podsVersion: version }
    if (!isForeign) return { pods, nodes, skipped, selected: seen, ...podsVersion }
    const source = foreignPodSource({ pods, nodes })
    return { pods: [], nodes: await readHintNodes(service), source, skipped, selected: seen }
  }

  return async (service, selection, floor) => {
    if (selection.kind === 'managed') return readSelected(service, selection, floor)
    const source = addressSource(selection.addresses)
    return { pods: [], nodes: await readHintNodes(service), source, skipped: [] }
  }
}

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
