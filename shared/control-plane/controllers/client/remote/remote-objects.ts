import { type ApiClient, type ApiObject, type Resource, runWatcher } from '../../../../kubernetes/index.ts'
import { isObject } from '../../../apimachinery/json/values.ts'
import type { KubeObject, ObjectMetadata } from '../../../apimachinery/objects.ts'
import type { Following, FollowOptions, ObjectChange } from '../controller-client.ts'

type Listener = (change: ObjectChange) => void

interface RemoteObjectsOptions extends FollowOptions {
  /** Called with why the server cannot be followed for now; it is tried again with pauses up to 10 s. */
  readonly onError: (error: unknown) => void
  /** Nothing is asked of the server any more. */
  readonly onStop: () => void
}

/**
 * The objects of one resource of a server, for all who follow it: an informer. An object that
 * was recreated under the same name between two watches causes a deletion and an addition.
 */
export class RemoteObjects {
  /** Resolves when everything that was there is listed, or the last follower has stopped. */
  readonly settled: Promise<void>
  readonly #stop = new AbortController()
  readonly #listeners = new Set<Listener>()
  readonly #namespaces = new Map<string, Map<string, KubeObject>>()
  readonly #listed = Promise.withResolvers<void>()
  readonly #metadataOnly: boolean
  /** Objects that a list has brought so far, while it is coming in. */
  #seen: Set<KubeObject> | undefined
  #isListed = false

  constructor(
    api: ApiClient,
    resource: Resource,
    { metadataOnly = false, fieldSelector, onError, onStop }: RemoteObjectsOptions,
  ) {
    this.#metadataOnly = metadataOnly
    const ended = runWatcher<ApiObject>(api, {
      resource,
      selection: { metadataOnly, ...(fieldSelector !== undefined && { fieldSelector }) },
      signal: this.#stop.signal,
      handler: {
        listing: () => {
          this.#seen = new Set()
        },
        object: (object) => this.#put(object),
        listed: () => this.#complete(),
        changed: (object) => this.#put(object),
        deleted: (object) => this.#remove(object),
        failed: onError,
      },
    }).finally(onStop)
    this.settled = Promise.race([this.#listed.promise, ended])
  }

  get isListed(): boolean {
    return this.#isListed
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0
  }

  follow(listener: Listener, onStop: () => void): Following {
    this.#listeners.add(listener)
    for (const object of this.#all()) listener({ type: 'ADDED', object, previous: undefined })
    const isListed = (): boolean => this.#isListed
    return {
      get isListed() {
        return isListed()
      },
      listed: this.#listed.promise,
      get: (namespace, name) => this.#namespaces.get(namespace)?.get(name),
      list: (namespace) =>
        namespace === undefined ? this.#all() : [...(this.#namespaces.get(namespace)?.values() ?? [])],
      stop: () => {
        this.#listeners.delete(listener)
        onStop()
      },
    }
  }

  stop(): void {
    this.#stop.abort()
  }

  #all(): KubeObject[] {
    return [...this.#namespaces.values()].flatMap((objects) => [...objects.values()])
  }

  #put(received: ApiObject): void {
    const object = this.#kept(received)
    if (object === undefined) return
    this.#seen?.add(object)
    const { namespace = '', name = '', uid, resourceVersion } = object.metadata
    const objects = this.#namespaces.get(namespace) ?? new Map<string, KubeObject>()
    this.#namespaces.set(namespace, objects)
    const previous = objects.get(name)
    objects.set(name, object)
    if (previous === undefined) {
      this.#deliver({ type: 'ADDED', object, previous })
    } else if (previous.metadata.uid !== uid) {
      this.#deliver({ type: 'DELETED', object: previous, previous })
      this.#deliver({ type: 'ADDED', object, previous: undefined })
    } else if (previous.metadata.resourceVersion !== resourceVersion) {
      this.#deliver({ type: 'MODIFIED', object, previous })
    }
  }

  #remove(received: ApiObject): void {
    const object = this.#kept(received)
    if (object === undefined) return
    const { namespace = '', name = '', uid } = object.metadata
    const previous = this.#namespaces.get(namespace)?.get(name)
    if (previous === undefined || previous.metadata.uid !== uid) return
    this.#forget(previous)
    this.#deliver({ type: 'DELETED', object, previous })
  }

  /** Removes the objects that the list has not brought. */
  #complete(): void {
    const gone = this.#all().filter((object) => !this.#seen?.has(object))
    this.#seen = undefined
    for (const object of gone) {
      this.#forget(object)
      this.#deliver({ type: 'DELETED', object, previous: object })
    }
    this.#isListed = true
    this.#listed.resolve()
  }

  #forget({ metadata: { namespace = '', name = '' } }: KubeObject): void {
    const objects = this.#namespaces.get(namespace)
    objects?.delete(name)
    if (objects?.size === 0) this.#namespaces.delete(namespace)
  }

  #deliver(change: ObjectChange): void {
    if (!this.#stop.signal.aborted) for (const listener of [...this.#listeners]) listener(change)
  }

  /** Returns the parts of an object that controllers use; undefined for no object of a Kubernetes API. */
  #kept(received: unknown): KubeObject | undefined {
    if (!isObject(received) || !isMetadata(received.metadata)) return undefined
    const { managedFields, ...metadata } = received.metadata
    return this.#metadataOnly ? { metadata: lean(metadata) } : { ...received, metadata }
  }
}

function isMetadata(value: unknown): value is ObjectMetadata {
  if (!isObject(value)) return false
  const { name, uid, resourceVersion, namespace } = value
  return (
    [name, uid, resourceVersion].every((text) => typeof text === 'string' && text !== '') &&
    (namespace === undefined || typeof namespace === 'string')
  )
}

/** Returns a small copy of an object, as there may be very many. */
function lean({
  name,
  namespace,
  uid,
  resourceVersion,
  deletionTimestamp,
  deletionGracePeriodSeconds,
  finalizers,
  ownerReferences,
}: ObjectMetadata): ObjectMetadata {
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
    ...(finalizers !== undefined && { finalizers }),
    ...(ownerReferences !== undefined && { ownerReferences }),
  }
}
