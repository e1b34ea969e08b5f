import type { KubeObject } from '../apimachinery/objects.ts'
import type { Endpoint } from '../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../apiserver/registry/definition/write-context.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import { systemContext } from '../apiserver/registry/system-context.ts'
import type { ObjectStore } from '../apiserver/storage/object-store.ts'
import { GROUP, RESOURCE } from './api-service.ts'

/** Objects with which the controllers of this folder work. */
export interface AggregationServices {
  readonly registry: Registry
  readonly store: ObjectStore
  /** Called with failures that are the server's own fault. */
  readonly onError: (error: unknown) => void
}

/** Returns the stored APIServices, by name. */
export function apiServicesIn(store: ObjectStore): KubeObject[] {
  return store.list(RESOURCE, '')
}

export function apiServiceEndpoint(registry: Registry): Endpoint {
  const endpoint = registry.endpoint(GROUP, 'v1', 'apiservices')
  if (!endpoint) throw new Error('failed to write an APIService: the resource is not served')
  return endpoint
}

export function contextOf(registry: Registry): WriteContext {
  return systemContext(registry.objects, Date.now())
}
