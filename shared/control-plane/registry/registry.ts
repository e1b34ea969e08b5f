import type { ObjectStore } from '../storage/index.ts'
import {
  apiVersionOf,
  keyOf,
  type ObjectReader,
  type ResourceDefinition,
  resourceName,
} from './definition.ts'
import { type Endpoint, endpointOf } from './endpoint.ts'

/** The resources that a server has. */
export class Registry {
  readonly objects: ObjectReader
  readonly #endpoints = new Map<string, Endpoint>()

  constructor(definitions: readonly ResourceDefinition[], store: ObjectStore) {
    this.objects = {
      get: (resource, namespace, name) => store.get(resource, keyOf(namespace, name)),
      list: (resource, namespace) => store.list(resource, namespace ? `${namespace}/` : ''),
    }
    for (const definition of definitions) {
      this.#endpoints.set(
        `${apiVersionOf(definition)}/${definition.plural}`,
        endpointOf(definition, store, this.objects),
      )
      this.#connect(definition, store)
    }
  }

  endpoint(group: string, version: string, plural: string): Endpoint | undefined {
    return this.#endpoints.get(`${apiVersionOf({ group, version })}/${plural}`)
  }

  get endpoints(): Endpoint[] {
    return [...this.#endpoints.values()]
  }

  get definitions(): ResourceDefinition[] {
    return this.endpoints.map(({ definition }) => definition)
  }

  /** Group-versions that have resources, in the order of their first one. */
  get groupVersions(): { group: string; version: string }[] {
    const seen = new Map(
      this.definitions.map(({ group, version }) => [apiVersionOf({ group, version }), { group, version }]),
    )
    return [...seen.values()]
  }

  #connect(definition: ResourceDefinition, store: ObjectStore): void {
    const { strategy } = definition
    if (!strategy?.onChange) return
    const resource = resourceName(definition)
    for (const object of store.list(resource, '')) strategy.onChange(object, undefined)
    store.subscribe(resource, ({ type, object, previous }) => {
      strategy.onChange?.(type === 'DELETED' ? undefined : object, previous)
    })
  }
}
