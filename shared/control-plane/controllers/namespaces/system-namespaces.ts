import type { Registry } from '../../apiserver/registry/registry.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { createObject } from '../../apiserver/registry/writes/create.ts'

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** Makes sure of the namespaces that every cluster has, as kube-apiserver itself does. */
export function ensureSystemNamespaces(registry: Registry): void {
  const endpoint = registry.endpoint('', 'v1', 'namespaces')
  if (endpoint === undefined) return
  const context = systemContext(registry.objects, Date.now())
  for (const name of SYSTEM_NAMESPACES) {
    if (endpoint.store.get(endpoint.resource, name)) continue
    createObject(endpoint, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }, undefined, context)
  }
}
