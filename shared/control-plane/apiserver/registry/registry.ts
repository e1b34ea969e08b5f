import type { ObjectStore } from '../storage/object-store.ts'
import { ConvertedStore } from './conversion/converted-store.ts'
import { apiVersionOf, keyOf, resourceName } from './definition/names.ts'
import type { Endpoint, ResourceDefinition } from './definition/resource-definition.ts'
import { ConvertedObjects } from './external-conversion.ts'
import { Lifetime } from './lifetime.ts'
import type { ObjectReader } from './object-reader.ts'

/** Called for a resource; returns what ends that. */
type Follower = (endpoint: Endpoint) => () => void

/** The resources that a server has. They may come and go while it runs. */
export class Registry {
  readonly objects: ObjectReader
  readonly #store: ObjectStore
  readonly #endpoints = new Map<string, Endpoint>()
  /** Times for which the present definitions are served, for resources that were replaced before. */
  readonly #lifetimes = new Map<string, Lifetime>()
  /** Functions that end what each follower has begun, by resource. */
  readonly #followers = new Map<Follower, Map<string, () => void>>()
  #generation = 0

  constructor(definitions: readonly ResourceDefinition[], store: ObjectStore) {
    this.#store = store
    this.objects = {
      get: (resource, namespace, name) => store.get(resource, keyOf(namespace, name)),
      list: (resource, namespace) => store.list(resource, namespace ? `${namespace}/` : ''),
    }
    for (const definition of definitions) {
      this.#put(definition)
      this.#connect(definition)
    }
  }

  /** Grows with each change of what is served: documents derived from the registry are valid that long. */
  get generation(): number {
    return this.#generation
  }

  endpoint(group: string, version: string, plural: string): Endpoint | undefined {
    return this.#endpoints.get(`${apiVersionOf({ group, version })}/${plural}`)
  }

  /** Returns the endpoint of a kind (`apps/v1`, `Deployment`), for the server's own controllers. */
  endpointOfKind(apiVersion: string, kind: string): Endpoint | undefined {
    const found = this.endpoints.find(
      ({ definition }) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
    )
    return found && withoutConversion(found)
  }

  get endpoints(): Endpoint[] {
    return [...this.#endpoints.values()]
  }

  get definitions(): ResourceDefinition[] {
    return this.endpoints.map(({ definition }) => definition)
  }

  /** An endpoint for each resource, of the version it is stored in, for the server's own controllers. */
  get resources(): Endpoint[] {
    return this.endpoints
      .filter(({ definition: { storedElsewhere, shares } }) => !storedElsewhere && !shares)
      .map(withoutConversion)
  }

  /** Reports whether a group has resources. Every request asks. */
  hasGroup(wanted: string): boolean {
    for (const { definition } of this.#endpoints.values()) if (definition.group === wanted) return true
    return false
  }

  /** Group-versions that have resources, in the order of their first one. */
  get groupVersions(): { group: string; version: string }[] {
    const seen = new Map(
      this.definitions.map(({ group, version }) => [apiVersionOf({ group, version }), { group, version }]),
    )
    return [...seen.values()]
  }

  /** Serves these definitions as a resource's versions, instead of those before; none ends its service. */
  replace(resource: string, definitions: readonly ResourceDefinition[]): void {
    for (const [path, endpoint] of this.#endpoints)
      if (endpoint.resource === resource) this.#endpoints.delete(path)
    const former = this.#lifetimes.get(resource)
    const served = new Lifetime()
    if (definitions.length > 0) this.#lifetimes.set(resource, served)
    else this.#lifetimes.delete(resource)
    for (const definition of definitions) this.#put(definition, served)
    this.#generation++
    for (const [follower, ends] of this.#followers) {
      ends.get(resource)?.()
      ends.delete(resource)
      for (const endpoint of this.resources)
        if (endpoint.resource === resource) ends.set(resource, follower(endpoint))
    }
    former?.end()
  }

  /** Calls the follower for every resource there is and will be, once each; returns what ends it all. */
  follow(follower: Follower): () => void {
    const ends = new Map<string, () => void>()
    this.#followers.set(follower, ends)
    for (const endpoint of this.resources) ends.set(endpoint.resource, follower(endpoint))
    return () => {
      this.#followers.delete(follower)
      for (const end of ends.values()) end()
    }
  }

  #put(definition: ResourceDefinition, served?: Lifetime): void {
    this.#endpoints.set(
      `${apiVersionOf(definition)}/${definition.plural}`,
      endpointOf(definition, this.#store, this.objects, served),
    )
  }

  #connect(definition: ResourceDefinition): void {
    const { strategy } = definition
    if (!strategy?.onChange) return
    const resource = resourceName(definition)
    for (const object of this.#store.list(resource, '')) strategy.onChange(object, undefined)
    this.#store.subscribe(resource, ({ type, object, previous }) => {
      strategy.onChange?.(type === 'DELETED' ? undefined : object, previous)
    })
  }
}

/**
 * Returns the objects as they are stored if something outside converts them. Controllers look at and write
 * metadata alone, which needs no conversion; what is in other versions cannot follow the rules of one.
 */
function withoutConversion(endpoint: Endpoint): Endpoint {
  if (!endpoint.converted) return endpoint
  const { converted, definition, ...rest } = endpoint
  const { strategy, ...kept } = definition
  return { ...rest, definition: kept }
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
