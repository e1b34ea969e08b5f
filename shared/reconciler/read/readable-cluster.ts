import type { ApiClient } from '../../kubernetes/index.ts'
import type { NodeReader } from './node-reader.ts'

/** A cluster that slices are written to, or pods are taken from. */
export interface ReadableCluster {
  readonly client: ApiClient
  readonly nodes: NodeReader
}

/** A cluster was named that this function knows nothing of. */
export class UnknownClusterError extends Error {
  override readonly name = 'UnknownClusterError'
  readonly retryable = false
  readonly failureClass = 'UnknownCluster'
}
