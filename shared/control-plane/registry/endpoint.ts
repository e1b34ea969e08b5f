import type { ObjectStore } from '../storage/index.ts'
import { type ObjectReader, type ResourceDefinition, resourceName } from './definition.ts'

/** A resource with the store that holds its objects: what the verbs work on. */
export interface Endpoint {
  readonly definition: ResourceDefinition
  /** The resource's name in the store. */
  readonly resource: string
  readonly store: ObjectStore
  readonly objects: ObjectReader
}

export function endpointOf(
  definition: ResourceDefinition,
  store: ObjectStore,
  objects: ObjectReader,
): Endpoint {
  return { definition, resource: resourceName(definition), store, objects }
}
