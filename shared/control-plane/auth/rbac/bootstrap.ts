import { type KubeObject, labelsOf } from '../../apimachinery/objects.ts'
import { createObject, keyOf, type Registry, systemContext } from '../../apiserver/registry/index.ts'
import policy from './bootstrap-policy.json' with { type: 'json' }

const BOOTSTRAPPING = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
const AUTO_UPDATED = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }

/**
 * Creates the roles and bindings that every Kubernetes cluster begins with, as recorded on kube-apiserver
 * 1.36; those that are there already stay as they are. `now` is in milliseconds since 1970.
 */
export function createBootstrapPolicy(registry: Registry, now: number): void {
  const context = systemContext(registry.objects, now)
  for (const [plural, objects] of Object.entries(policy)) {
    const endpoint = registry.endpoint('rbac.authorization.k8s.io', 'v1', plural)
    if (endpoint === undefined) continue
    const { kind, group, version } = endpoint.definition
    for (const object of objects as readonly KubeObject[]) {
      const { namespace, name = '' } = object.metadata
      if (endpoint.store.get(endpoint.resource, keyOf(namespace, name)) !== undefined) continue
      const labels = { ...labelsOf(object), ...BOOTSTRAPPING }
      const annotations = { ...AUTO_UPDATED }
      const metadata = { ...object.metadata, labels, annotations }
      const copy = structuredClone({ kind, apiVersion: `${group}/${version}`, ...object, metadata })
      createObject(endpoint, copy, namespace, context)
    }
  }
}
