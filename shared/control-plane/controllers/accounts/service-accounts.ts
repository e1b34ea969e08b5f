import type { ControllerClient } from '../client/controller-client.ts'
import { NAMESPACES, SERVICE_ACCOUNTS } from '../client/resources.ts'
import { isEnding, unlessEnding } from '../namespaces/ending-namespaces.ts'
import { Workers } from '../workers.ts'

const DEFAULT = 'default'

/**
 * Gives every namespace its service account `default`, also after its deletion (upstream's
 * serviceaccount-controller). Returns the function that ends it.
 */
export function startServiceAccounts(
  client: ControllerClient,
  onError: (error: unknown) => void,
): () => void {
  const queue = new Workers<string>({ work: ensure, onError })
  const namespaces = client.follow(NAMESPACES, {}, ({ type, object: { metadata } }) => {
    if (type !== 'DELETED') queue.add(metadata.name ?? '', metadata.name ?? '')
  })
  const accounts = client.follow(
    SERVICE_ACCOUNTS,
    { fieldSelector: `metadata.name=${DEFAULT}` },
    ({ type, object: { metadata } }) => {
      if (type === 'DELETED' && metadata.name === DEFAULT)
        queue.add(metadata.namespace ?? '', metadata.namespace ?? '')
    },
  )

  async function ensure(namespace: string): Promise<void> {
    await accounts.listed
    if (isEnding(namespaces.get('', namespace)) || accounts.get(namespace, DEFAULT)) return
    const metadata = { name: DEFAULT, namespace }
    await unlessEnding(
      client.create(SERVICE_ACCOUNTS, { kind: 'ServiceAccount', apiVersion: 'v1', metadata }),
    )
  }

  return () => {
    namespaces.stop()
    accounts.stop()
    queue.stop()
  }
}
