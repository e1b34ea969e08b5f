import { objectsAt } from '../../apimachinery/json/values.ts'
import { finalizersOf, type KubeObject } from '../../apimachinery/objects.ts'
import {
  type ControllerClient,
  type Following,
  type ObjectChange,
  resourceKey,
  type ServedResource,
} from '../client/controller-client.ts'
import { Workers } from '../workers.ts'
import { idOf, type ObjectId, OwnerGraph, type OwnerReference, ownersOf } from './owner-graph.ts'

/** Number of owners to remember, which is that of upstream's garbage collector. */
const LIMIT = 500

/** Owners that the server lacks. A uid never comes back: their other dependents need not ask again. */
class AbsentOwners {
  readonly #keys = new Set<string>()

  has(owner: OwnerReference, namespace: string): boolean {
    return this.#keys.has(keyOf(owner, namespace))
  }

  add(owner: OwnerReference, namespace: string): void {
    this.#keys.add(keyOf(owner, namespace))
    const [oldest] = this.#keys
    if (this.#keys.size > LIMIT && oldest !== undefined) this.#keys.delete(oldest)
  }
}

const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  JSON.stringify([apiVersion, kind, namespace, name, uid])

const FOREGROUND = 'foregroundDeletion'
const ORPHAN = 'orphan'
/** Events go by themselves, and there are many: upstream's garbage collector ignores them, too. */
const IGNORED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])
const METADATA = { metadataOnly: true }

/** State of an owner. `waiting`: waits until its dependents are deleted. `unknown`: cannot be determined. */
type OwnerState = 'there' | 'waiting' | 'gone' | 'unknown'

/**
 * Deletes objects whose owners are all gone, and finishes deletions in the foreground and those that orphan,
 * as upstream's garbage collector does:
 * 1. An owner that waits in the foreground goes when no dependent that blocks it is left; its dependents are
 *    deleted first.
 * 2. One that orphans goes when no dependent names it any more.
 * 3. A dependent with an owner that stays loses its references to owners that do not; with none, it is
 *    deleted itself. Where its own dependents wait in the foreground, it blocks none of its owners any
 *    longer: they may wait for each other in a circle.
 * A namespaced object's owners are searched in its own namespace and among cluster-scoped objects.
 *
 * Events only say what need not be done. Every write follows from what the server says
 * right then, and holds for the object in that state alone. An owner is gone when the server, which knows its
 * kind, says so; 1 and 2 wait until all resources are listed, as there may be dependents among what is not.
 */
export class GarbageCollector {
  readonly #client: ControllerClient
  readonly #graph = new OwnerGraph()
  readonly #queue: Workers<ObjectId>
  readonly #followings = new Map<string, Following>()
  readonly #absent = new AbsentOwners()
  /** Objects, by uid, that cannot be decided on before another resource is served or listed. */
  readonly #postponed = new Map<string, ObjectId>()
  #unfollow: (() => void) | undefined

  constructor(client: ControllerClient, onError: (error: unknown) => void) {
    this.#client = client
    this.#queue = new Workers<ObjectId>({ work: (id) => this.#sync(id), onError, concurrency: 20 })
  }

  /** Handles everything that exists, then all changes. */
  start(): void {
    this.#unfollow = this.#client.followResources((resource) => this.#follow(resource))
  }

  stop(): void {
    this.#unfollow?.()
    this.#queue.stop()
  }

  #follow(resource: ServedResource): () => void {
    const key = resourceKey(resource)
    const isCollected = (['delete', 'list', 'watch'] as const).every((verb) => resource.verbs.includes(verb))
    if (!isCollected || IGNORED.has(key)) return () => undefined
    const following = this.#client.follow(resource, METADATA, (change) => this.#changed(resource, change))
    this.#followings.set(key, following)
    void following.listed.then(() => this.#lookAtPostponed())
    return () => {
      const last = following.list()
      following.stop()
      this.#followings.delete(key)
      for (const object of last) this.#graph.remove(object.metadata.uid ?? '')
      this.#lookAtPostponed()
    }
  }

  #changed(resource: ServedResource, { type, object, previous }: ObjectChange): void {
    if (type !== 'DELETED') this.#see(resource, object)
    else {
      const { uid = '' } = object.metadata
      for (const dependent of this.#graph.dependentsOf(uid)) this.#enqueue(dependent)
      this.#graph.remove(uid)
      this.#postponed.delete(uid)
    }
    // Owners may have waited for this one.
    for (const owner of [...ownersOf(object), ...(previous ? ownersOf(previous) : [])]) {
      const found = this.#knownOwner(owner, object)
      if (found !== undefined && isCollecting(found.object)) this.#enqueue(found.id)
    }
  }

  #see(resource: ServedResource, object: KubeObject): void {
    const owners = ownersOf(object)
    const id = idOf(resource, object)
    this.#graph.put(id, owners)
    if (owners.length > 0 || isCollecting(object)) this.#enqueue(id)
  }

  #enqueue(id: ObjectId): void {
    this.#queue.add(id.uid, id)
  }

  #lookAtPostponed(): void {
    const ids = [...this.#postponed.values()]
    this.#postponed.clear()
    for (const id of ids) this.#enqueue(id)
  }

  async #sync(id: ObjectId): Promise<void> {
    const known = this.#known(id)
    if (known === undefined || !this.#mayNeedWork(known)) return
    const object = await this.#client.get(id.resource, refTo(id), METADATA)
    if (object?.metadata.uid !== id.uid) return
    const finalizers = object.metadata.deletionTimestamp === undefined ? [] : finalizersOf(object)
    if (finalizers.includes(ORPHAN)) await this.#orphan(id, object)
    else if (finalizers.includes(FOREGROUND)) await this.#foreground(id, object)
    else if (object.metadata.deletionTimestamp === undefined) await this.#dependent(id, object)
  }

  /** Reports whether an object may need work, without a request: most objects have owners that exist. */
  #mayNeedWork(object: KubeObject): boolean {
    if (object.metadata.deletionTimestamp !== undefined) return isCollecting(object)
    return ownersOf(object).some((owner) => {
      const found = this.#knownOwner(owner, object)
      return found === undefined || isWaiting(found.object)
    })
  }

  /** Takes step 1. */
  async #foreground(id: ObjectId, object: KubeObject): Promise<void> {
    if (!this.#isAllListed(id)) return
    const dependents = this.#graph.dependentsOf(id.uid)
    for (const dependent of dependents) this.#enqueue(dependent)
    const blocking = dependents.some((dependent) => {
      const known = this.#known(dependent)
      return (
        known !== undefined &&
        ownersOf(known).some(({ uid, blockOwnerDeletion }) => uid === id.uid && blockOwnerDeletion)
      )
    })
    if (!blocking) await this.#withoutFinalizer(id, object, FOREGROUND)
  }

  /** Takes step 2. */
  async #orphan(id: ObjectId, object: KubeObject): Promise<void> {
    if (!this.#isAllListed(id)) return
    for (const dependent of this.#graph.dependentsOf(id.uid)) {
      const found = await this.#client.get(dependent.resource, refTo(dependent), METADATA)
      if (found?.metadata.uid !== dependent.uid) continue
      if (ownersOf(found).some(({ uid }) => uid === id.uid))
        await this.#withoutOwners(dependent, found, new Set([id.uid]))
    }
    await this.#withoutFinalizer(id, object, ORPHAN)
  }

  /** Takes step 3. */
  async #dependent(id: ObjectId, object: KubeObject): Promise<void> {
    const owners: { owner: OwnerReference; state: OwnerState }[] = []
    for (const owner of ownersOf(object)) owners.push({ owner, state: await this.#stateOf(owner, object) })
    if (owners.some(({ state }) => state === 'unknown')) {
      this.#postponed.set(id.uid, id)
      return
    }
    const going = owners.filter(({ state }) => state !== 'there')
    if (going.length === 0) return
    if (going.length < owners.length) {
      await this.#withoutOwners(id, object, new Set(going.map(({ owner }) => owner.uid)))
    } else {
      await this.#collect(
        id,
        object,
        owners.some(({ state }) => state === 'waiting'),
      )
    }
  }

  async #collect(id: ObjectId, object: KubeObject, isAwaited: boolean): Promise<void> {
    const dependents = this.#graph.dependentsOf(id.uid)
    if (!isAwaited || dependents.length === 0) {
      await this.#client.delete(id.resource, object, {
        propagationPolicy: policyOf(object),
        unchanged: true,
      })
      return
    }
    const released = this.#isInCircle(dependents) ? await this.#withoutBlocking(id, object) : object
    await this.#client.delete(id.resource, released, { propagationPolicy: 'Foreground', unchanged: true })
  }

  /** Reports whether a dependent waits for this very object, as it waits for its own dependents. */
  #isInCircle(dependents: readonly ObjectId[]): boolean {
    return dependents.some((dependent) => {
      const known = this.#known(dependent)
      return known !== undefined && isWaiting(known)
    })
  }

  async #stateOf(owner: OwnerReference, { metadata: { namespace = '' } }: KubeObject): Promise<OwnerState> {
    const resource = this.#client.resourceOfKind(owner.apiVersion, owner.kind)
    // An owner of a kind that is not served may exist or not; cluster-scoped objects have no
    // namespaced owners.
    if (resource === undefined || (resource.namespaced && namespace === '')) return 'unknown'
    const where = resource.namespaced ? namespace : ''
    if (this.#absent.has(owner, where)) return 'gone'
    const found = await this.#client.get(resource, refTo({ namespace: where, name: owner.name }), METADATA)
    if (found?.metadata.uid === owner.uid) return isWaiting(found) ? 'waiting' : 'there'
    this.#absent.add(owner, where)
    return 'gone'
  }

  #isAllListed(id: ObjectId): boolean {
    const isAllListed = [...this.#followings.values()].every(({ isListed }) => isListed)
    if (!isAllListed) this.#postponed.set(id.uid, id)
    return isAllListed
  }

  #knownOwner(
    owner: OwnerReference,
    { metadata: { namespace = '' } }: KubeObject,
  ): { id: ObjectId; object: KubeObject } | undefined {
    const resource = this.#client.resourceOfKind(owner.apiVersion, owner.kind)
    if (resource === undefined) return undefined
    const following = this.#followings.get(resourceKey(resource))
    const object = following?.get(resource.namespaced ? namespace : '', owner.name)
    return object?.metadata.uid === owner.uid ? { id: idOf(resource, object), object } : undefined
  }

  #known({ resource, namespace, name, uid }: ObjectId): KubeObject | undefined {
    const object = this.#followings.get(resourceKey(resource))?.get(namespace, name)
    return object?.metadata.uid === uid ? object : undefined
  }

  async #withoutFinalizer({ resource }: ObjectId, object: KubeObject, finalizer: string): Promise<void> {
    const finalizers = finalizersOf(object).filter((name) => name !== finalizer)
    await this.#client.updateMetadata(resource, object, { finalizers })
  }

  async #withoutOwners({ resource }: ObjectId, object: KubeObject, uids: ReadonlySet<string>): Promise<void> {
    const ownerReferences = objectsAt(object.metadata, 'ownerReferences').filter(
      ({ uid }) => !uids.has(String(uid)),
    )
    await this.#client.updateMetadata(resource, object, { ownerReferences })
  }

  #withoutBlocking({ resource }: ObjectId, object: KubeObject): Promise<KubeObject> {
    const ownerReferences = objectsAt(object.metadata, 'ownerReferences').map((owner) => ({
      ...owner,
      blockOwnerDeletion: false,
    }))
    return this.#client.updateMetadata(resource, object, { ownerReferences })
  }
}

const refTo = ({ namespace, name }: Pick<ObjectId, 'namespace' | 'name'>) =>
  namespace ? { namespace, name } : { name }

/** Returns the policy that was asked for; the default if none was. */
function policyOf(object: KubeObject): 'Orphan' | 'Foreground' | 'Background' {
  const finalizers = finalizersOf(object)
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background'
}

const isWaiting = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes(FOREGROUND)

const isCollecting = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  finalizersOf(object).some((name) => name === FOREGROUND || name === ORPHAN)
