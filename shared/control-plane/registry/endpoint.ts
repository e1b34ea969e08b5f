import type { ObjectStore } from '../storage/index.ts'
import { ConvertedStore } from './converted-store.ts'
import { type ObjectReader, type ResourceDefinition, resourceName } from './definition.ts'
import { ConvertedObjects } from './external-conversion.ts'

/** What the verbs do with a store. */
export type EndpointStore = Pick<
  ObjectStore,
  | 'changesSince'
  | 'compacted'
  | 'count'
  | 'flush'
  | 'get'
  | 'list'
  | 'listAt'
  | 'put'
  | 'reached'
  | 'remove'
  | 'revision'
  | 'subscribe'
>

/** A resource with the store that holds its objects: what the verbs work on. */
export interface Endpoint {
  readonly definition: ResourceDefinition
  /** The resource's name in the store. */
  readonly resource: string
  readonly store: EndpointStore
  /** Where conversion takes time: what `store` holds is in other versions, and this is how it is read and written. */
  readonly converted?: ConvertedObjects
  readonly objects: ObjectReader
}

export function endpointOf(
  definition: ResourceDefinition,
  store: ObjectStore,
  objects: ObjectReader,
): Endpoint {
  const { codec, shares } = definition
  const external = codec?.external
  const conversion = external ? undefined : (codec ?? shares)
  return {
    definition,
    resource: shares?.resource ?? resourceName(definition),
    store: conversion ? new ConvertedStore(store, conversion) : store,
    ...(external ? { converted: new ConvertedObjects(external) } : {}),
    objects,
  }
}
