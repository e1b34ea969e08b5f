import { createObject, keyOf, type Registry, systemContext } from '../registry/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { WorkQueue } from '../work-queue.ts'

const DEFAULT = 'default'

/**
 * Gives every namespace its service account `default`, also where somebody deletes it (upstream's serviceaccount-controller). Returns the
 * function that ends it.
 */
export function startServiceAccounts(
  registry: Registry,
  store: ObjectStore,
  onError: (error: unknown) => void,
): () => void {
  const endpoint = registry.endpoint('', 'v1', 'serviceaccounts')
  if (endpoint === undefined) return () => undefined

  function ensure(namespace: string): void {
    const there = store.get('namespaces', namespace)
    const isEnding = there?.metadata.deletionTimestamp !== undefined
    if (!endpoint || !there || isEnding || store.get('serviceaccounts', keyOf(namespace, DEFAULT))) return
    const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: DEFAULT } }
    const context = systemContext(registry.objects, Date.now())
    try {
      createObject(endpoint, account, namespace, { ...context, fieldManager: 'kube-controller-manager' })
    } catch (error) {
      onError(error)
    }
  }

  const queue = new WorkQueue(ensure)
  const later = (namespace = ''): void => queue.add(namespace, namespace)
  const subscriptions = [
    store.subscribe('namespaces', ({ type, object }) => {
      if (type !== 'DELETED') later(object.metadata.name)
    }),
    store.subscribe('serviceaccounts', ({ type, object }) => {
      if (type === 'DELETED' && object.metadata.name === DEFAULT) later(object.metadata.namespace)
    }),
  ]
  for (const { metadata } of store.list('namespaces', '')) ensure(metadata.name ?? '')
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
    queue.stop()
  }
}
