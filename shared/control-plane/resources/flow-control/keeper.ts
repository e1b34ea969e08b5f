import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, sameJson } from '../../apimachinery/json/values.ts'
import { annotationsOf, type KubeObject } from '../../apimachinery/objects.ts'
import type { Endpoint, Lifecycle } from '../../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { deleteObject } from '../../apiserver/registry/writes/delete.ts'
import { createStandardObject } from '../../apiserver/registry/writes/standard-object.ts'
import { updateObject } from '../../apiserver/registry/writes/update.ts'
import { Workers } from '../../controllers/workers.ts'
import { AUTO_UPDATE, BOOTSTRAP, type BootstrapObject, type FlowControlPlural } from './bootstrap.ts'

const MANAGER = 'api-priority-and-fairness-config-producer-v1'

/**
 * Keeps the objects of flow control that every server has, as upstream's pkg/registry/flowcontrol/ensurer:
 * makes those that are missing, brings back specs that changed unless their annotation gives them to the
 * cluster, and removes those that no release has any longer. Upstream checks every minute, this does after
 * every change.
 */
export function keepBootstrapObjects(plural: FlowControlPlural): Lifecycle['start'] {
  return (registry, onError) => {
    const endpoint = registry.endpoint('flowcontrol.apiserver.k8s.io', 'v1', plural)
    if (endpoint === undefined) return undefined
    const queue = new Workers<Endpoint>({ work: (kept) => ensureAll(kept, plural), onError })
    ensureAll(endpoint, plural)
    const unsubscribe = endpoint.store.subscribe(endpoint.resource, () => queue.add(plural, endpoint))
    return () => {
      unsubscribe()
      queue.stop()
    }
  }
}

function ensureAll(endpoint: Endpoint, plural: FlowControlPlural): void {
  const context = { ...systemContext(endpoint.objects, Date.now()), fieldManager: MANAGER }
  for (const object of BOOTSTRAP[plural]) ensure(endpoint, object, context)
  const wanted = new Set(BOOTSTRAP[plural].map(({ name }) => name))
  for (const stored of endpoint.store.list(endpoint.resource, '')) {
    const isOurs = annotationsOf(stored)[AUTO_UPDATE] === 'true'
    if (isOurs && !wanted.has(stored.metadata.name ?? '') && !stored.metadata.deletionTimestamp)
      deleteObject(endpoint, stored, {}, context)
  }
}

function ensure(endpoint: Endpoint, bootstrap: BootstrapObject, context: WriteContext): void {
  const { name, standard, mandatory } = bootstrap
  const stored = endpoint.store.get(endpoint.resource, name)
  if (stored === undefined) {
    createStandardObject(endpoint, standard, context)
    return
  }
  const isKept = mandatory || isAutoUpdated(stored)
  const annotations = { ...annotationsOf(stored), [AUTO_UPDATE]: String(isKept) }
  const next = {
    ...stored,
    metadata: { ...stored.metadata, annotations },
    spec: isKept ? specFor(stored, bootstrap) : objectAt(stored, 'spec'),
  }
  if (!sameJson(next, stored)) updateObject({ endpoint, stored }, next, context)
}

/** Returns the spec to write. The shares of the exempt level are free to set. */
function specFor(stored: KubeObject, { spec }: BootstrapObject): JsonObject {
  const { exempt } = objectAt(stored, 'spec')
  return exempt && spec.exempt ? { ...spec, exempt } : spec
}

/** Reports whether the server updates the object: as the annotation says, else until a user changed it. */
function isAutoUpdated(stored: KubeObject): boolean {
  const value = annotationsOf(stored)[AUTO_UPDATE]
  if (value === 'true' || value === 'false') return value === 'true'
  return stored.metadata.generation === 1
}
