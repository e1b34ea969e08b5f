import pLimit from 'p-limit'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  NotFoundError,
  PODS,
  type Resource,
  SERVICES,
} from '../../shared/kubernetes/index.ts'

/** Limits calls at once: of thousands, the last would wait for a connection until they time out. */
export const concurrently = pLimit(32)

/**
 * Removes what the suites put into a namespace. The namespace stays: not every cluster has the controller
 * that ends it.
 */
export async function removeNamespaced(client: ApiClient, namespace: string): Promise<void> {
  await removeAll(client, SERVICES, namespace)
  await removeAll(client, PODS, namespace)
  await removeAll(client, ENDPOINT_SLICES, namespace)
}

async function removeAll<T extends ApiObject>(
  client: ApiClient,
  resource: Resource<T>,
  namespace: string,
): Promise<void> {
  const { items } = await client.list(resource, { namespace, metadataOnly: true })
  await concurrently.map(items, async ({ metadata }) => {
    try {
      await client.delete(resource, { namespace, name: metadata?.name ?? '' }, { gracePeriodSeconds: 0 })
    } catch (error) {
      // A controller or the garbage collector was quicker.
      if (!(error instanceof NotFoundError)) throw error
    }
  })
}
