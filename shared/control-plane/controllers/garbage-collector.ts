import { ApiError } from '../errors/index.ts'
import { objectsAt } from '../json.ts'
import { finalizersOf, type KubeObject } from '../objects.ts'
import {
  type DeleteOptions,
  deleteObject,
  type Endpoint,
  keyOf,
  type Registry,
  systemContext,
  updateObject,
  type WriteContext,
} from '../registry/index.ts'
import type { Change, ObjectStore } from '../storage/index.ts'
import { WorkQueue } from '../work-queue.ts'
import { type ObjectId, OwnerGraph, type OwnerReference, ownersOf } from './owner-graph.ts'

const FOREGROUND = 'foregroundDeletion'
const ORPHAN = 'orphan'
const USER = {
  username: 'system:serviceaccount:kube-system:generic-garbage-collector',
  groups: ['system:masters'],
}

/**
 * Deletes objects whose owners are all gone, and finishes deletions in the foreground and those that orphan, as upstream's
 * garbage collector does:
 * 1. An owner that waits in the foreground goes when no dependent that blocks it is left; its dependents are deleted first.
 * 2. One that orphans goes when no dependent names it any more.
 * 3. A dependent with an owner that stays loses its references to owners that do not; with none, it is deleted itself. Where its own
 *    dependents wait in the foreground, it blocks none of its owners any longer: they may wait for each other in a circle.
 * A namespaced object's owners are looked for in its own namespace and among cluster-scoped objects.
 */
export class GarbageCollector {
  readonly #registry: Registry
  readonly #store: ObjectStore
  readonly #onError: (error: unknown) => void
  readonly #graph = new OwnerGraph()
  readonly #queue = new WorkQueue<ObjectId>((id) => this.#look(id))
  #unfollow: (() => void) | undefined

  constructor(registry: Registry, store: ObjectStore, onError: (error: unknown) => void) {
    this.#registry = registry
    this.#store = store
    this.#onError = onError
  }

  /** Looks at everything that exists, then at all changes. */
  start(): void {
    this.#unfollow = this.#registry.follow((endpoint) => {
      for (const object of this.#store.list(endpoint.resource, '')) this.#see(endpoint, object)
      return this.#store.subscribe(endpoint.resource, (change) => this.#changed(endpoint, change))
    })
  }

  stop(): void {
    this.#unfollow?.()
    this.#queue.stop()
  }

  #changed(endpoint: Endpoint, { type, object, previous }: Change): void {
    if (type !== 'DELETED') this.#see(endpoint, object)
    else {
      const { uid = '' } = object.metadata
      for (const dependent of this.#graph.dependentsOf(uid)) this.#enqueue(dependent)
      this.#graph.remove(uid)
    }
    // Owners may have waited for this one.
    const owners = [...ownersOf(object), ...(previous ? ownersOf(previous) : [])]
    for (const owner of owners) {
      const found = this.#find(owner, object)
      if (found !== undefined && isCollecting(found.object)) this.#enqueue(found.id)
    }
  }

  #see(endpoint: Endpoint, object: KubeObject): void {
    const owners = ownersOf(object)
    const id = idOf(endpoint, object)
    this.#graph.put(id, owners)
    if (owners.length > 0 || isCollecting(object)) this.#enqueue(id)
  }

  #enqueue(id: ObjectId): void {
    this.#queue.add(id.uid, id)
  }

  #look(id: ObjectId): void {
    try {
      this.#collect(id)
    } catch (error) {
      // Somebody else was quicker: the change that they made brings the object again.
      if (!(error instanceof ApiError && error.code === 409)) this.#onError(error)
    }
  }

  #collect(id: ObjectId): void {
    const object = this.#stored(id)
    if (object === undefined) return
    const finalizers = object.metadata.deletionTimestamp === undefined ? [] : finalizersOf(object)
    if (finalizers.includes(ORPHAN)) this.#orphan(id, object)
    else if (finalizers.includes(FOREGROUND)) this.#foreground(id, object)
    else if (object.metadata.deletionTimestamp === undefined) this.#dependent(id, object)
  }

  /** 1. */
  #foreground(id: ObjectId, object: KubeObject): void {
    const dependents = this.#graph.dependentsOf(id.uid)
    for (const dependent of dependents) this.#enqueue(dependent)
    const blocking = dependents.some((dependent) => {
      const stored = this.#stored(dependent)
      return (
        stored !== undefined &&
        ownersOf(stored).some(({ uid, blockOwnerDeletion }) => uid === id.uid && blockOwnerDeletion)
      )
    })
    if (!blocking) this.#withoutFinalizer(id, object, FOREGROUND)
  }

  /** 2. */
  #orphan(id: ObjectId, object: KubeObject): void {
    for (const dependent of this.#graph.dependentsOf(id.uid)) {
      const stored = this.#stored(dependent)
      if (stored !== undefined) this.#withoutOwners(dependent, stored, new Set([id.uid]))
    }
    this.#withoutFinalizer(id, object, ORPHAN)
  }

  /** 3. */
  #dependent(id: ObjectId, object: KubeObject): void {
    const owners = ownersOf(object).map((owner) => ({ owner, state: this.#stateOf(owner, object) }))
    // Nobody can tell whether an owner of a kind that is not served is gone.
    if (owners.length === 0 || owners.some(({ state }) => state === 'unknown')) return
    const going = owners.filter(({ state }) => state !== 'there')
    if (going.length === 0) return
    if (going.length < owners.length) {
      this.#withoutOwners(id, object, new Set(going.map(({ owner }) => owner.uid)))
    } else {
      const dependents = this.#graph.dependentsOf(id.uid)
      const isForeground = owners.some(({ state }) => state === 'waiting') && dependents.length > 0
      const released =
        isForeground && this.#isInCircle(dependents) ? this.#withoutBlocking(id, object) : object
      this.#delete(id, released, isForeground ? 'Foreground' : undefined)
    }
  }

  /** A dependent that waits for its own dependents may wait for this very object. */
  #isInCircle(dependents: readonly ObjectId[]): boolean {
    return dependents.some((dependent) => {
      const object = this.#stored(dependent)
      return object?.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes(FOREGROUND)
    })
  }

  #stateOf(owner: OwnerReference, dependent: KubeObject): 'there' | 'waiting' | 'gone' | 'unknown' {
    if (this.#registry.endpointOfKind(owner.apiVersion, owner.kind) === undefined) return 'unknown'
    const found = this.#find(owner, dependent)
    if (found === undefined) return 'gone'
    const { deletionTimestamp } = found.object.metadata
    const isWaiting = deletionTimestamp !== undefined && finalizersOf(found.object).includes(FOREGROUND)
    return isWaiting && owner.blockOwnerDeletion ? 'waiting' : 'there'
  }

  #find(owner: OwnerReference, dependent: KubeObject): { id: ObjectId; object: KubeObject } | undefined {
    const endpoint = this.#registry.endpointOfKind(owner.apiVersion, owner.kind)
    if (endpoint === undefined) return undefined
    const namespace = endpoint.definition.namespaced ? (dependent.metadata.namespace ?? '') : ''
    const object = this.#store.get(endpoint.resource, keyOf(namespace, owner.name))
    return object?.metadata.uid === owner.uid ? { id: idOf(endpoint, object), object } : undefined
  }

  #delete(
    { endpoint }: ObjectId,
    object: KubeObject,
    propagationPolicy: DeleteOptions['propagationPolicy'],
  ): void {
    const { uid = '' } = object.metadata
    const options = { preconditions: { uid }, ...(propagationPolicy && { propagationPolicy }) }
    deleteObject(endpoint, object, options, this.#context())
  }

  #withoutFinalizer({ endpoint }: ObjectId, object: KubeObject, finalizer: string): void {
    const finalizers = finalizersOf(object).filter((name) => name !== finalizer)
    this.#update(endpoint, object, { ...object.metadata, finalizers })
  }

  #withoutOwners({ endpoint }: ObjectId, object: KubeObject, uids: ReadonlySet<string>): void {
    const ownerReferences = objectsAt(object.metadata, 'ownerReferences').filter(
      ({ uid }) => !uids.has(String(uid)),
    )
    this.#update(endpoint, object, { ...object.metadata, ownerReferences })
  }

  #withoutBlocking({ endpoint }: ObjectId, object: KubeObject): KubeObject {
    const ownerReferences = objectsAt(object.metadata, 'ownerReferences').map((owner) => ({
      ...owner,
      blockOwnerDeletion: false,
    }))
    return this.#update(endpoint, object, { ...object.metadata, ownerReferences })
  }

  #update(endpoint: Endpoint, stored: KubeObject, metadata: KubeObject['metadata']): KubeObject {
    return updateObject({ endpoint, stored }, { ...stored, metadata }, this.#context())
  }

  #stored({ endpoint, namespace, name, uid }: ObjectId): KubeObject | undefined {
    const object = this.#store.get(endpoint.resource, keyOf(namespace, name))
    return object?.metadata.uid === uid ? object : undefined
  }

  #context(): WriteContext {
    const context = systemContext(this.#registry.objects, Date.now())
    return { ...context, user: USER, fieldManager: 'kube-controller-manager' }
  }
}

const idOf = (endpoint: Endpoint, { metadata }: KubeObject): ObjectId => ({
  endpoint,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

const isCollecting = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  finalizersOf(object).some((name) => name === FOREGROUND || name === ORPHAN)
