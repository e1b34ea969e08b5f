import type { ObjectStore } from '../storage/index.ts'
import { ConvertedStore } from './converted-store.ts'
import { type ObjectReader, type ResourceDefinition, resourceName } from './definition/index.ts'
import { ConvertedObjects } from './external-conversion.ts'
import type { Lifetime } from './lifetime.ts'
import type { ConvertNow } from './replay.ts'

/** Operations of a store that the verbs use. */
export type EndpointStore = Pick<
  ObjectStore,
  | 'changesSince'
  | 'compacted'
  | 'count'
  | 'flush'
  | 'get'
  | 'list'
  | 'put'
  | 'reached'
  | 'records'
  | 'recordsAt'
  | 'remove'
  | 'revision'
  | 'subscribe'
>

/** Operations of a store that a write needs. */
export type WriteStore = Pick<EndpointStore, 'get' | 'put' | 'remove'>

/** A resource with what holds its objects while one of them is written. */
export interface WriteEndpoint {
  readonly definition: ResourceDefinition
  /** The resource's name in the store. */
  readonly resource: string
  readonly store: WriteStore
  /** An object of the resource as another of its versions. */
  readonly convert?: ConvertNow
  readonly objects: ObjectReader
}

/** A resource with the store that holds its objects: what the verbs work on. */
export interface Endpoint extends WriteEndpoint {
  readonly store: EndpointStore
  /** Conversion that takes time: `store` holds other versions, and this is how they are read and written. */
  readonly converted?: ConvertedObjects
  /** Time for which a resource that may be defined again is served as it is. */
  readonly served?: Lifetime
}

export function endpointOf(
  definition: ResourceDefinition,
  store: ObjectStore,
  objects: ObjectReader,
  served?: Lifetime,
): Endpoint {
  const { codec, shares } = definition
  const external = codec?.external
  const conversion = external ? undefined : (codec ?? shares)
  return {
    definition,
    resource: shares?.resource ?? resourceName(definition),
    store: conversion ? new ConvertedStore(store, conversion) : store,
    ...(external ? { converted: new ConvertedObjects(external) } : {}),
    ...(codec?.rename ? { convert: codec.rename } : {}),
    ...(served ? { served } : {}),
    objects,
  }
}
