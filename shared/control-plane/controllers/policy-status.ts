import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import { systemContext } from '../apiserver/registry/system-context.ts'
import { updateObject } from '../apiserver/registry/writes/update.ts'
import { Workers } from './workers.ts'

const GROUP = 'admissionregistration.k8s.io'
const PLURAL = 'validatingadmissionpolicies'
const MANAGER = 'validatingadmissionpolicy-status'
const STATUS = { name: 'status', definition: { kind: 'ValidatingAdmissionPolicy', verbs: [] } } as const

/**
 * Checks the expressions of validating policies against the kinds that they are about, and reports in their
 * status what does not fit (upstream's validatingadmissionpolicy-status-controller). Returns the function
 * that ends it.
 */
export function startPolicyStatus(registry: Registry, onError: (error: unknown) => void): () => void {
  const endpoint = registry.endpoint(GROUP, 'v1', PLURAL)
  if (endpoint === undefined) return () => undefined
  const { store, resource } = endpoint

  async function check(name: string): Promise<void> {
    // Only a policy needs CEL: without one it is not loaded.
    const { typeWarnings } = await import('../admission/policies/index.ts')
    const stored = store.get(resource, name)
    if (endpoint === undefined || stored === undefined || isObserved(stored)) return
    const warnings = typeWarnings(stored, registry)
    const context = { ...systemContext(registry.objects, Date.now()), fieldManager: MANAGER }
    updateObject(
      { endpoint, stored, subresource: STATUS },
      { ...stored, status: statusOf(stored, warnings) },
      context,
    )
  }

  const queue = new Workers<string>({ work: check, onError })
  const unsubscribe = store.subscribe(resource, ({ type, key }) => {
    if (type !== 'DELETED') queue.add(key, key)
  })
  for (const { metadata } of store.list(resource, '')) queue.add(metadata.name ?? '', metadata.name ?? '')
  return () => {
    unsubscribe()
    queue.stop()
  }
}

function isObserved({ metadata: { generation = 0 }, status }: KubeObject): boolean {
  const observed = objectAt({ status }, 'status')
  return (numberAt(observed, 'observedGeneration') ?? 0) >= generation
}

function statusOf({ metadata, status }: KubeObject, warnings: JsonObject[]): JsonObject {
  return {
    ...objectAt({ status }, 'status'),
    observedGeneration: metadata.generation ?? 0,
    typeChecking: warnings.length > 0 ? { expressionWarnings: warnings } : {},
  }
}
