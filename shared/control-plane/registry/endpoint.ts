import type { ObjectStore } from '../storage/index.ts'
import { ConvertedStore } from './converted-store.ts'
import { type ObjectReader, type ResourceDefinition, resourceName } from './definition.ts'

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
  readonly objects: ObjectReader
}

export function endpointOf(
  definition: ResourceDefinition,
  store: ObjectStore,
  objects: ObjectReader,
): Endpoint {
  const { codec, shares } = definition
  const conversion = codec ?? shares
  return {
    definition,
    resource: shares?.resource ?? resourceName(definition),
    store: conversion ? new ConvertedStore(store, conversion) : store,
    objects,
  }
}
