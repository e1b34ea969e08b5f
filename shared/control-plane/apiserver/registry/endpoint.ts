import type { ObjectStore } from '../storage/index.ts'
import { ConvertedStore } from './conversion/index.ts'
import {
  type Endpoint,
  type ObjectReader,
  type ResourceDefinition,
  resourceName,
} from './definition/index.ts'
import { ConvertedObjects } from './external-conversion.ts'
import type { Lifetime } from './lifetime.ts'

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
