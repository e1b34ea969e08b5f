import { type ApiClient, KubernetesError, type Resource } from '../../kubernetes/index.ts'

/** A write was tried with a client that only reads: a fault of this program, not of the cluster. */
export class ReadOnlyError extends KubernetesError {
  override readonly name = 'ReadOnlyError'
  override readonly retryable = false
}

/** Returns the same client without writes: each of them is refused before anything is sent. */
export function readOnlyClient(client: ApiClient): ApiClient {
  const refuse = (verb: string) => async (resource: Resource) => {
    throw new ReadOnlyError(
      `refused to ${verb} an object of kind ${resource.kind} of cluster ${client.cluster}: nothing is written here, only read`,
    )
  }
  return {
    ...client,
    create: refuse('create'),
    update: refuse('update'),
    patch: refuse('patch'),
    delete: refuse('delete'),
  }
}
