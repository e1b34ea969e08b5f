import { type KubeObject, labelsOf } from '../../apimachinery/objects.ts'
import { keyOf } from '../../apiserver/registry/definition/names.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { createStandardObject } from '../../apiserver/registry/writes/standard-object.ts'
import policy from './bootstrap-policy.json' with { type: 'json' }

const BOOTSTRAPPING = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
const AUTO_UPDATED = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }

/** The policy by the plural names of its resources. */
const POLICY = Object.entries(policy).map(
  ([plural, objects]) => [plural, objects.map((object: KubeObject) => marked(object))] as const,
)

/**
 * Creates the roles and bindings that every Kubernetes cluster begins with, as recorded on kube-apiserver
 * 1.36; those that are there already stay as they are. `now` is in milliseconds since 1970.
 */
export function createBootstrapPolicy(registry: Registry, now: number): void {
  const context = systemContext(registry.objects, now)
  for (const [plural, objects] of POLICY) {
    const endpoint = registry.endpoint('rbac.authorization.k8s.io', 'v1', plural)
    if (endpoint === undefined) continue
    for (const object of objects) {
      const { namespace, name = '' } = object.metadata
      if (endpoint.store.get(endpoint.resource, keyOf(namespace, name)) !== undefined) continue
      createStandardObject(endpoint, object, context)
    }
  }
}

function marked(object: KubeObject): KubeObject {
  const labels = { ...labelsOf(object), ...BOOTSTRAPPING }
  return { ...object, metadata: { ...object.metadata, labels, annotations: AUTO_UPDATED } }
}
