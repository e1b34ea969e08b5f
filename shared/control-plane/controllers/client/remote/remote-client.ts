import {
  type ApiClient,
  ApiError,
  type ApiObject,
  type ClusterConnection,
  ConnectionError,
  createApiClient,
  NotFoundError,
  type ObjectRef,
  type Resource,
} from '../../../../kubernetes/index.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isKubeObject, type KubeObject } from '../../../apimachinery/objects.ts'
import {
  type ControllerClient,
  type DeletionOptions,
  type DiscoveredResources,
  type Following,
  type FollowOptions,
  isNotFound,
  type ObjectChange,
  type ReadOptions,
  refOf,
  resourceKey,
} from '../controller-client.ts'
import { RemoteObjects } from './remote-objects.ts'
import { RemoteResources } from './remote-resources.ts'

/** Watches that share a client, which keeps 64 connections: each takes one as long as it lasts. */
const WATCHES_A_CLIENT = 40
/** Resources whose changes mean that there are other resources from now on. */
const HINTS = ['customresourcedefinitions.apiextensions.k8s.io', 'apiservices.apiregistration.k8s.io']
/** While a server is unreachable, one failure is reported in this interval, in milliseconds. */
const OUTAGE_MS = 10_000

interface Watcher {
  readonly api: ApiClient
  /** Number of watches that run now. */
  watches: number
}

/** A remote server, as one user, for all controllers of this process: what several follow comes once. */
export class RemoteClient implements ControllerClient {
  readonly #connection: ClusterConnection
  readonly #calls: ApiClient
  readonly #watchers: Watcher[] = []
  readonly #stop = new AbortController()
  readonly #resources: RemoteResources
  readonly #followed = new Map<string, RemoteObjects>()
  readonly #onError: (error: unknown) => void
  #outageTold = Number.NEGATIVE_INFINITY

  constructor(connection: ClusterConnection, onError: (error: unknown) => void) {
    this.#connection = connection
    this.#onError = onError
    this.#calls = createApiClient(connection)
    this.#resources = new RemoteResources(this.#calls, this.#stop.signal, (error) => this.report(error))
  }

  /** Resolves when the server has said which resources it has; it is asked until then. */
  async start(): Promise<void> {
    await this.#resources.start()
    const hint = (): void => this.#resources.hint()
    for (const key of HINTS) {
      const resource = this.#resources.find(key)
      if (resource) this.follow(resource, { metadataOnly: true }, hint)
    }
  }

  /** Resolves when everything that is followed is listed, or when the client is stopped. */
  async listed(): Promise<void> {
    const waiting = (): RemoteObjects[] => [...this.#followed.values()].filter(({ isListed }) => !isListed)
    for (let next = waiting(); next.length > 0 && !this.#stop.signal.aborted; next = waiting())
      await Promise.race(next.map(({ settled }) => settled))
  }

  stop(): void {
    this.#stop.abort(new Error('the controllers are stopped'))
    for (const objects of this.#followed.values()) objects.stop()
    for (const { api } of [{ api: this.#calls }, ...this.#watchers]) api.close()
  }

  /** Reports an error; during an outage not every one. */
  report(error: unknown): void {
    if (this.#stop.signal.aborted) return
    if (error instanceof ConnectionError) {
      const now = performance.now()
      if (now - this.#outageTold < OUTAGE_MS) return
      this.#outageTold = now
    }
    this.#onError(error)
  }

  serves(resource: Resource): boolean {
    return this.#resources.find(resourceKey(resource)) !== undefined
  }

  resourceOfKind(apiVersion: string, kind: string): ReturnType<ControllerClient['resourceOfKind']> {
    return this.#resources.ofKind(apiVersion, kind)
  }

  followResources(follower: Parameters<ControllerClient['followResources']>[0]): () => void {
    return this.#resources.follow(follower)
  }

  async discover(): Promise<DiscoveredResources> {
    return await this.#resources.discover()
  }

  follow(resource: Resource, options: FollowOptions, listener: (change: ObjectChange) => void): Following {
    const { group, version, plural } = resource
    const { metadataOnly = false, fieldSelector = '' } = options
    const key = JSON.stringify([group, version, plural, metadataOnly, fieldSelector])
    const objects = this.#followed.get(key) ?? this.#open(key, resource, options)
    return objects.follow(listener, () => {
      if (objects.isFollowed || this.#followed.get(key) !== objects) return
      this.#followed.delete(key)
      objects.stop()
    })
  }

  async get(
    resource: Resource,
    ref: ObjectRef,
    { metadataOnly = false }: ReadOptions = {},
  ): Promise<KubeObject | undefined> {
    try {
      return checked(await this.#calls.get(resource, ref, { metadataOnly, signal: this.#stop.signal }))
    } catch (error) {
      if (isObjectNotFound(error, ref)) return undefined
      throw error
    }
  }

  async list(
    resource: Resource,
    namespace: string,
    { metadataOnly = false }: ReadOptions = {},
  ): Promise<readonly KubeObject[]> {
    const options = { metadataOnly, signal: this.#stop.signal, ...(namespace && { namespace }) }
    const { items } = await this.#calls.list(resource, options)
    return items.map(checked)
  }

  async create(resource: Resource, object: KubeObject): Promise<void> {
    await this.#calls.create(resource, sent(object), this.#options)
  }

  async update(resource: Resource, object: KubeObject, subresource?: 'status' | 'finalize'): Promise<void> {
    await this.#calls.update(resource, sent(object), {
      ...this.#options,
      ...(subresource && { subresource }),
    })
  }

  async updateMetadata(resource: Resource, object: KubeObject, changes: JsonObject): Promise<KubeObject> {
    const { uid, resourceVersion } = object.metadata
    const patch = { metadata: { uid, resourceVersion, ...changes } }
    return checked(await this.#calls.patch(resource, refOf(object), patch, this.#options))
  }

  async delete(
    resource: Resource,
    object: KubeObject,
    { propagationPolicy, unchanged }: DeletionOptions = {},
  ): Promise<void> {
    const { uid, resourceVersion } = object.metadata
    const preconditions = { ...(uid && { uid }), ...(unchanged && resourceVersion && { resourceVersion }) }
    try {
      await this.#calls.delete(resource, refOf(object), {
        ...this.#options,
        preconditions,
        ...(propagationPolicy && { propagationPolicy }),
      })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  get #options(): { readonly signal: AbortSignal } {
    return { signal: this.#stop.signal }
  }

  #open(key: string, resource: Resource, options: FollowOptions): RemoteObjects {
    const watcher = this.#freeWatcher()
    watcher.watches++
    const objects = new RemoteObjects(watcher.api, resource, {
      ...options,
      onError: (error) => {
        // A definition that has been deleted: discovery finds that.
        if (error instanceof NotFoundError) this.#resources.hint()
        else this.report(error)
      },
      onStop: () => {
        watcher.watches--
      },
    })
    this.#followed.set(key, objects)
    return objects
  }

  #freeWatcher(): Watcher {
    const free = this.#watchers.find(({ watches }) => watches < WATCHES_A_CLIENT)
    if (free) return free
    const watcher = { api: createApiClient(this.#connection), watches: 0 }
    this.#watchers.push(watcher)
    return watcher
  }
}

/** Returns an object as a request body. The types of this library describe the same JSON in other words. */
const sent = (object: KubeObject): ApiObject => object as ApiObject

function checked(received: ApiObject): KubeObject {
  const object: unknown = received
  if (!isKubeObject(object)) throw new Error('failed to read an object of the server: it has no metadata')
  return object
}

/** Reports whether an object was not found. A 404 for a path that the server lacks says nothing of it. */
function isObjectNotFound(error: unknown, { name }: ObjectRef): boolean {
  return error instanceof ApiError && error.code === 404 && error.status.details?.name === name
}
