import type { ApiClient } from '../../kubernetes/index.ts'
import { createNodeReader, type NodeReader } from './node-reader.ts'

/** A cluster that slices are written to, or pods are taken from. */
export interface ReadableCluster {
  readonly client: ApiClient
  readonly nodes: NodeReader
}

/**
 * Makes the clusters of some clients, once for each client, so that their Nodes stay cached.
 * @param clientOf the client of a cluster by its name. @throws UnknownClusterError
 * @param now milliseconds since the epoch
 * @param restrict returns what is used of a client; default: all of it
 */
export function readableClusters(
  clientOf: (cluster: string) => ApiClient,
  now: () => number,
  restrict: (client: ApiClient) => ApiClient = (client) => client,
): (cluster: string) => ReadableCluster {
  const clusters = new WeakMap<ApiClient, ReadableCluster>()
  return (name) => {
    const of = clientOf(name)
    const known = clusters.get(of)
    if (known !== undefined) return known
    const client = restrict(of)
    const cluster = { client, nodes: createNodeReader(client, now) }
    clusters.set(of, cluster)
    return cluster
  }
}

/** A cluster was named that this function does not know. */
export class UnknownClusterError extends Error {
  override readonly name = 'UnknownClusterError'
  readonly retryable = false
  readonly failureClass = 'UnknownCluster'

  static among(known: Iterable<string>, cluster: string): UnknownClusterError {
    return new UnknownClusterError(`cluster ${cluster} is not known; known are ${[...known].join(', ')}`)
  }
}
