import {
  type ApiClient,
  type ApiObject,
  type GetOptions,
  NotFoundError,
  type ObjectRef,
  type Resource,
} from '../../kubernetes/index.ts'

/**
 * Reads one object, which may not be there. Only the API server's own word on this very object counts as its
 * absence: a proxy's 404 does not.
 * @throws KubernetesError when the read failed
 */
export async function readObject<T extends ApiObject>(
  client: ApiClient,
  resource: Resource<T>,
  ref: ObjectRef,
  options?: GetOptions,
): Promise<T | undefined> {
  try {
    return await client.get(resource, ref, options)
  } catch (error) {
    const isAbsent =
      error instanceof NotFoundError && error.reason === 'NotFound' && error.status.details?.name === ref.name
    if (isAbsent) return undefined
    throw error
  }
}
