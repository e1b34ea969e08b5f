import { setImmediate } from 'node:timers/promises'
import { apiVersionOf, type ObjectRef, type Resource } from '../../../kubernetes/index.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { finalizersOf, type KubeObject } from '../../apimachinery/objects.ts'
import { ALL_VERBS } from '../../apiserver/registry/definition/resource-definition.ts'
import type {
  ControllerClient,
  DeletionOptions,
  Following,
  ObjectChange,
  ServedResource,
} from '../client/controller-client.ts'
import { ownersOf } from '../garbage/owner-graph.ts'

const NAMESPACE = 'shop'
const resource = (plural: string, kind: string): ServedResource => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
  verbs: ALL_VERBS,
})
/** Two resources: the events of one may lag behind those of the other. */
export const RESOURCES: readonly ServedResource[] = [resource('roots', 'Root'), resource('leaves', 'Leaf')]

type Listener = (change: ObjectChange) => void

/**
 * A server and its client in which nothing happens by itself: changes are delivered when the test says so,
 * and calls fail when it says so. Every deletion is judged by the true state of the owners.
 */
export class ModelServer implements ControllerClient {
  readonly #objects = new Map<string, KubeObject>()
  readonly #reported = new Map<string, KubeObject>()
  readonly #listeners = new Map<string, Listener>()
  readonly #untold = new Map<string, ObjectChange[]>(RESOURCES.map(({ plural }) => [plural, []]))
  #version = 0
  /** Calls that fail from now on. */
  failures = 0
  /** Called just before a call takes effect, to play what others do. */
  before: ((verb: 'get' | 'update' | 'delete') => void) | undefined
  /** Calls that have not been answered. */
  running = 0
  readonly wrongDeletions: string[] = []

  get objects(): KubeObject[] {
    return [...this.#objects.values()]
  }

  find(uid: string): KubeObject | undefined {
    return this.objects.find(({ metadata }) => metadata.uid === uid)
  }

  /** Delivers the next changes of a resource, in their order. */
  tell(plural: string, count = Number.POSITIVE_INFINITY): void {
    const changes = this.#untold.get(plural) ?? []
    for (const change of changes.splice(0, count)) {
      const key = keyOf(plural, change.object.metadata.name ?? '')
      if (change.type === 'DELETED') this.#reported.delete(key)
      else this.#reported.set(key, change.object)
      this.#listeners.get(plural)?.(change)
    }
  }

  tellAll(): void {
    for (const { plural } of RESOURCES) this.tell(plural)
  }

  get isTold(): boolean {
    return [...this.#untold.values()].every(({ length }) => length === 0)
  }

  /** Removes an object as a user does. */
  remove(object: KubeObject, propagationPolicy: 'Foreground' | 'Background' | 'Orphan'): void {
    this.#delete(resourceOf(object), object, propagationPolicy)
  }

  /** Sets an object's owners as a user does. */
  own(object: KubeObject, ownerReferences: JsonObject[]): void {
    const metadata = { ...object.metadata, ownerReferences, resourceVersion: this.#next() }
    this.#put(resourceOf(object), { ...object, metadata })
  }

  /** Adds an object as a user does. */
  add(of: ServedResource, name: string, ownerReferences: JsonObject[]): void {
    const version = this.#next()
    const metadata = {
      name,
      namespace: NAMESPACE,
      uid: `uid-${version}`,
      resourceVersion: version,
      ownerReferences,
    }
    this.#put(of, { apiVersion: apiVersionOf(of), kind: of.kind, metadata })
  }

  serves(): boolean {
    return true
  }

  resourceOfKind(apiVersion: string, kind: string): ServedResource | undefined {
    return RESOURCES.find((known) => apiVersionOf(known) === apiVersion && known.kind === kind)
  }

  followResources(follower: (resource: ServedResource) => () => void): () => void {
    const ends = RESOURCES.map(follower)
    return () => {
      for (const end of ends) end()
    }
  }

  async discover(): Promise<never> {
    throw new Error('nobody asks for that here')
  }

  follow({ plural }: Resource, _: unknown, listener: Listener): Following {
    this.#listeners.set(plural, listener)
    const all = (): KubeObject[] =>
      [...this.#reported].flatMap(([key, object]) => (key.startsWith(`${plural}/`) ? [object] : []))
    return {
      isListed: true,
      listed: Promise.resolve(),
      get: (_namespace, name) => this.#reported.get(keyOf(plural, name)),
      list: all,
      stop: () => void this.#listeners.delete(plural),
    }
  }

  async get({ plural }: Resource, { name }: ObjectRef): Promise<KubeObject | undefined> {
    await this.#take('get')
    return this.#objects.get(keyOf(plural, name))
  }

  async list(): Promise<never> {
    throw new Error('nobody asks for that here')
  }

  async create(): Promise<never> {
    throw new Error('nobody asks for that here')
  }

  async update(): Promise<never> {
    throw new Error('nobody asks for that here')
  }

  async updateMetadata(of: Resource, object: KubeObject, changes: JsonObject): Promise<KubeObject> {
    await this.#take('update')
    const stored = this.#unchanged(of, object, object.metadata.resourceVersion)
    const next = { ...stored, metadata: { ...stored.metadata, ...changes, resourceVersion: this.#next() } }
    if (next.metadata.deletionTimestamp && finalizersOf(next).length === 0) this.#drop(of, next)
    else this.#put(of, next)
    return next
  }

  async delete(
    of: Resource,
    object: KubeObject,
    { propagationPolicy = 'Background', unchanged }: DeletionOptions = {},
  ): Promise<void> {
    await this.#take('delete')
    if (!this.#objects.has(keyOf(of.plural, object.metadata.name ?? ''))) return
    const stored = this.#unchanged(of, object, unchanged ? object.metadata.resourceVersion : undefined)
    if (!this.#isGarbage(stored)) this.wrongDeletions.push(stored.metadata.name ?? '')
    this.#delete(of, stored, propagationPolicy)
  }

  /** Reports whether every owner is of a known kind, and is gone or waits for its dependents. */
  #isGarbage(object: KubeObject): boolean {
    const owners = ownersOf(object)
    return (
      owners.length > 0 &&
      owners.every(({ apiVersion, kind, name, uid }) => {
        const of = this.resourceOfKind(apiVersion, kind)
        const owner = of && this.#objects.get(keyOf(of.plural, name))
        if (of === undefined || owner?.metadata.uid !== uid) return of !== undefined
        return (
          owner.metadata.deletionTimestamp !== undefined && finalizersOf(owner).includes('foregroundDeletion')
        )
      })
    )
  }

  #delete(of: Resource, stored: KubeObject, policy: 'Foreground' | 'Background' | 'Orphan'): void {
    const others = finalizersOf(stored).filter((name) => name !== 'orphan' && name !== 'foregroundDeletion')
    const added = { Foreground: ['foregroundDeletion'], Orphan: ['orphan'], Background: [] }[policy]
    const finalizers = [...others, ...added]
    if (finalizers.length === 0) {
      this.#drop(of, stored)
      return
    }
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    const metadata = { ...stored.metadata, finalizers, deletionTimestamp, resourceVersion: this.#next() }
    this.#put(of, { ...stored, metadata })
  }

  #unchanged({ plural }: Resource, { metadata }: KubeObject, version: string | undefined): KubeObject {
    const stored = this.#objects.get(keyOf(plural, metadata.name ?? ''))
    if (stored === undefined) throw new ApiError(404, 'NotFound', 'it is gone')
    const isSame = version === undefined || stored.metadata.resourceVersion === version
    if (stored.metadata.uid !== metadata.uid || !isSame) throw new ApiError(409, 'Conflict', 'it has changed')
    return stored
  }

  #put({ plural }: Resource, object: KubeObject): void {
    const key = keyOf(plural, object.metadata.name ?? '')
    const previous = this.#objects.get(key)
    this.#objects.set(key, object)
    this.#untold.get(plural)?.push({ type: previous ? 'MODIFIED' : 'ADDED', object, previous })
  }

  #drop({ plural }: Resource, object: KubeObject): void {
    this.#objects.delete(keyOf(plural, object.metadata.name ?? ''))
    this.#untold.get(plural)?.push({ type: 'DELETED', object, previous: object })
  }

  #next(): string {
    return String(++this.#version)
  }

  /** Waits for a turn of the event loop, in which others write. */
  async #take(verb: 'get' | 'update' | 'delete'): Promise<void> {
    this.running++
    await setImmediate()
    this.running--
    this.before?.(verb)
    if (this.failures === 0) return
    this.failures--
    throw new ApiError(500, 'InternalError', 'the test wants it so')
  }
}

const keyOf = (plural: string, name: string): string => `${plural}/${name}`

function resourceOf({ kind }: KubeObject): ServedResource {
  const found = RESOURCES.find((known) => known.kind === kind)
  if (found === undefined) throw new Error(`failed to find the resource of the kind ${kind}`)
  return found
}
