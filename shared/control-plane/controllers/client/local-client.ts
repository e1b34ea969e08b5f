import { apiVersionOf, type ObjectRef, type Resource } from '../../../kubernetes/index.ts'
import { notFound } from '../../apimachinery/errors/factories.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import { type JsonObject, parseJson } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { keyOf } from '../../apiserver/registry/definition/names.ts'
import { ALL_VERBS, type Endpoint } from '../../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { createObject } from '../../apiserver/registry/writes/create.ts'
import { deleteObject } from '../../apiserver/registry/writes/delete.ts'
import { type UpdateTarget, updateObject } from '../../apiserver/registry/writes/update.ts'
import {
  type ControllerClient,
  type DeletionOptions,
  type DiscoveredResources,
  type Following,
  isNotFound,
  type ObjectChange,
  resourceKey,
  type ServedResource,
} from './controller-client.ts'

const FIELD_MANAGER = 'kube-controller-manager'

/** Creates clients of this process's server, by service account. Their writes bypass admission. */
export function createLocalClients(registry: Registry): (account: string) => ControllerClient {
  const endpoints = new KnownEndpoints(registry)
  return (account) => new LocalClient(registry, endpoints, account)
}

/** Everything happens at once: a call has done its work when it returns its promise. */
class LocalClient implements ControllerClient {
  readonly #registry: Registry
  readonly #endpoints: KnownEndpoints
  readonly #account: string

  constructor(registry: Registry, endpoints: KnownEndpoints, account: string) {
    this.#registry = registry
    this.#endpoints = endpoints
    this.#account = account
  }

  serves(resource: Resource): boolean {
    return this.#endpoints.find(resource) !== undefined
  }

  resourceOfKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#endpoints.ofKind(apiVersion, kind)
  }

  followResources(follower: (resource: ServedResource) => () => void): () => void {
    return this.#registry.follow((endpoint) => follower(servedBy(endpoint)))
  }

  async discover(): Promise<DiscoveredResources> {
    return { resources: this.#registry.resources.map(servedBy), undiscovered: [] }
  }

  follow(resource: Resource, _: unknown, listener: (change: ObjectChange) => void): Following {
    const endpoint = this.#endpoint(resource)
    const { store, resource: name } = endpoint
    // Each read by itself: what the store reads, it holds until this turn of the event loop ends, which would
    // be all of them.
    for (const { json } of store.records(name, ''))
      listener({ type: 'ADDED', object: parseJson<KubeObject>(json), previous: undefined })
    const stop = store.subscribe(name, listener)
    return {
      isListed: true,
      listed: Promise.resolve(),
      get: (namespace, key) => store.get(name, keyOf(namespace, key)),
      list: (namespace) => store.list(name, namespace ? `${namespace}/` : ''),
      stop,
    }
  }

  async get(resource: Resource, { namespace, name }: ObjectRef): Promise<KubeObject | undefined> {
    const endpoint = this.#endpoint(resource)
    return endpoint.store.get(endpoint.resource, keyOf(namespace, name))
  }

  async list(resource: Resource, namespace: string): Promise<readonly KubeObject[]> {
    const endpoint = this.#endpoint(resource)
    return endpoint.store.list(endpoint.resource, namespace && `${namespace}/`)
  }

  async create(resource: Resource, object: KubeObject): Promise<void> {
    createObject(this.#endpoint(resource), object, object.metadata.namespace, this.#context())
  }

  async update(resource: Resource, object: KubeObject, subresource?: 'status' | 'finalize'): Promise<void> {
    const endpoint = this.#endpoint(resource)
    const target = { endpoint, stored: this.#stored(endpoint, object) }
    updateObject(
      subresource ? { ...target, subresource: subresourceOf(endpoint, subresource) } : target,
      object,
      this.#context(),
    )
  }

  async updateMetadata(resource: Resource, object: KubeObject, changes: JsonObject): Promise<KubeObject> {
    const endpoint = this.#endpoint(resource)
    const stored = this.#stored(endpoint, object)
    const { resourceVersion } = object.metadata
    const metadata = { ...stored.metadata, ...changes, ...(resourceVersion && { resourceVersion }) }
    return updateObject({ endpoint, stored }, { ...stored, metadata }, this.#context())
  }

  async delete(
    resource: Resource,
    object: KubeObject,
    { propagationPolicy, unchanged }: DeletionOptions = {},
  ): Promise<void> {
    const endpoint = this.#endpoint(resource)
    const { uid, resourceVersion, namespace, name = '' } = object.metadata
    const stored = endpoint.store.get(endpoint.resource, keyOf(namespace, name))
    if (stored === undefined) return
    const preconditions = {
      ...(uid && { uid }),
      ...(unchanged && resourceVersion && { resourceVersion }),
    }
    const options = { preconditions, ...(propagationPolicy && { propagationPolicy }) }
    try {
      deleteObject(endpoint, stored, options, this.#context())
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  #endpoint(resource: Resource): Endpoint {
    const endpoint = this.#endpoints.find(resource)
    if (endpoint === undefined) {
      const text = `failed to find the resource ${resourceKey(resource)}: the server does not have it any more`
      throw new ApiError(503, 'ServiceUnavailable', text)
    }
    return endpoint
  }

  #stored(endpoint: Endpoint, { metadata: { namespace, name = '' } }: KubeObject): KubeObject {
    const stored = endpoint.store.get(endpoint.resource, keyOf(namespace, name))
    if (stored === undefined) throw notFound(endpoint.definition, name)
    return stored
  }

  #context(): WriteContext {
    const user = {
      username: `system:serviceaccount:kube-system:${this.#account}`,
      groups: ['system:masters'],
    }
    return { ...systemContext(this.#registry.objects, Date.now()), user, fieldManager: FIELD_MANAGER }
  }
}

/** The endpoints of the registry's resources, sought again when what is served has changed. */
class KnownEndpoints {
  readonly #registry: Registry
  readonly #byKey = new Map<string, Endpoint>()
  readonly #byKind = new Map<string, ServedResource>()
  #generation = -1

  constructor(registry: Registry) {
    this.#registry = registry
  }

  find(resource: Resource): Endpoint | undefined {
    this.#refresh()
    return this.#byKey.get(resourceKey(resource))
  }

  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    this.#refresh()
    return this.#byKind.get(`${apiVersion} ${kind}`)
  }

  #refresh(): void {
    if (this.#generation === this.#registry.generation) return
    this.#generation = this.#registry.generation
    this.#byKey.clear()
    this.#byKind.clear()
    for (const endpoint of this.#registry.resources)
      this.#byKey.set(resourceKey(servedBy(endpoint)), endpoint)
    for (const endpoint of this.#registry.endpoints) {
      const resource = servedBy(endpoint)
      this.#byKind.set(`${apiVersionOf(resource)} ${resource.kind}`, resource)
    }
  }
}

function servedBy({ definition }: Endpoint): ServedResource {
  const { group, version, plural, kind, namespaced, verbs = ALL_VERBS } = definition
  return { group, version, plural, kind, namespaced, verbs }
}

function subresourceOf(
  { definition: { kind, subresources } }: Endpoint,
  name: 'status' | 'finalize',
): NonNullable<UpdateTarget['subresource']> {
  return { name, definition: subresources?.[name] ?? { kind, verbs: ['update'] } }
}
