import { stringMap } from '../objects.ts'
import { createObject, type Registry, systemContext, updateObject } from '../registry/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { WorkQueue } from '../work-queue.ts'

const NAME = 'kube-root-ca.crt'
const KEY = 'ca.crt'

/**
 * Keeps the certificate of the server's authority in a ConfigMap of every namespace, where workloads look for it (upstream's
 * root-ca-certificate-publisher-controller). Returns the function that ends it.
 */
export function startRootCaPublisher(
  registry: Registry,
  store: ObjectStore,
  certificate: string,
  onError: (error: unknown) => void,
): () => void {
  const endpoint = registry.endpoint('', 'v1', 'configmaps')
  if (endpoint === undefined) return () => undefined

  function publish(namespace: string): void {
    const there = store.get('namespaces', namespace)
    if (endpoint === undefined || there === undefined || there.metadata.deletionTimestamp !== undefined)
      return
    const context = {
      ...systemContext(registry.objects, Date.now()),
      fieldManager: 'kube-controller-manager',
    }
    const stored = store.get('configmaps', `${namespace}/${NAME}`)
    const data = { [KEY]: certificate }
    try {
      if (stored === undefined) {
        createObject(
          endpoint,
          { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: NAME }, data },
          namespace,
          context,
        )
      } else if (stringMap(stored.data)[KEY] !== certificate) {
        updateObject({ endpoint, stored }, { ...stored, data }, context)
      }
    } catch (error) {
      onError(error)
    }
  }

  const queue = new WorkQueue(publish)
  const later = (namespace = ''): void => queue.add(namespace, namespace)
  const subscriptions = [
    store.subscribe('namespaces', ({ type, object }) => {
      if (type === 'ADDED') later(object.metadata.name)
    }),
    store.subscribe('configmaps', ({ object }) => {
      if (object.metadata.name === NAME) later(object.metadata.namespace)
    }),
  ]
  for (const { metadata } of store.list('namespaces', '')) publish(metadata.name ?? '')
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
    queue.stop()
  }
}
