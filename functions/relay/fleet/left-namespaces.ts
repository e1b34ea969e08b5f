import { type ClusterSet, clusterSetIn } from '../../../shared/cluster-sets/index.ts'
import { LABEL_CLUSTER_SET } from '../../../shared/fleet/index.ts'
import { type ApiClient, SERVICES } from '../../../shared/kubernetes/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'

interface LeftNamespacesOptions {
  readonly client: ApiClient
  readonly set: ClusterSet
  readonly logger: Log
  readonly signal: AbortSignal
}

/** Warns of Services that the set has made in namespaces that it does not name any more. */
export async function warnOfLeftNamespaces({
  client,
  set,
  logger,
  signal,
}: LeftNamespacesOptions): Promise<void> {
  const { cluster } = client
  const namespaces = new Set<string>()
  const list = { labelSelector: `${LABEL_CLUSTER_SET}=${set.name}`, metadataOnly: true, signal }
  try {
    for await (const { items } of client.pages(SERVICES, list))
      for (const { metadata } of items) namespaces.add(metadata?.namespace ?? '')
  } catch (err) {
    if (signal.aborted) return
    logger.warn({ cluster, err }, 'cannot search for imports in namespaces that are not of the cluster set')
  }
  const left = [...namespaces].filter((namespace) => clusterSetIn(set, namespace) === undefined)
  const [first] = left
  if (first !== undefined)
    logger.warn(
      { cluster, namespaces: left.length, such: first },
      `imports stay in namespaces that the cluster set does not name, and nothing updates them: name them in its namespaces, or as ${first}=leave to have the imports removed`,
    )
}
