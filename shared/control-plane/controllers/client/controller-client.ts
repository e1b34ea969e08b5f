import type { ObjectRef, Resource } from '../../../kubernetes/index.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Verb } from '../../apiserver/registry/definition/resource-definition.ts'

/** A resource that the API server has, in the version that controllers read and write it in. */
export interface ServedResource extends Resource {
  readonly verbs: readonly Verb[]
}

/** An informer's event. Initial objects come as `ADDED`; a deletion's `object` is the last state. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
  readonly previous: KubeObject | undefined
}

export interface ReadOptions {
  /** True: only `metadata` is used, so that no more need be sent. Default false. */
  readonly metadataOnly?: boolean
}

export interface FollowOptions extends ReadOptions {
  /** A field selector: other objects need not come, but may. Default: all. */
  readonly fieldSelector?: string
}

/** The objects of a followed resource by their last event, which may lag behind the server. */
export interface Following {
  /** True once the initial list has been delivered. */
  readonly isListed: boolean
  /** Resolves when `isListed` becomes true; never where that does not happen. */
  readonly listed: Promise<void>
  /** Returns an object. `namespace` is empty for cluster-scoped objects. */
  get(namespace: string, name: string): KubeObject | undefined
  /** Lists objects. Default: those of all namespaces. */
  list(namespace?: string): readonly KubeObject[]
  stop(): void
}

export interface DeletionOptions {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  /** True: a 409 if the object has changed since it was read; default: only if another has its name. */
  readonly unchanged?: boolean
}

export interface DiscoveredResources {
  /** One entry a resource, whichever versions it has. */
  readonly resources: readonly ServedResource[]
  /** Group-versions, as `example.org/v1`, whose resources are unknown at the moment. */
  readonly undiscovered: readonly string[]
}

/**
 * The API server as controllers use it, in this process or somewhere else. Calls reject with an error that
 * has the HTTP status of upstream's answer as its `code`, as the ApiErrors of this library do: 409 where
 * another writer was faster.
 */
export interface ControllerClient {
  serves(resource: Resource): boolean
  /** Returns the resource that an owner reference names; undefined if the kind is not known, or not yet. */
  resourceOfKind(apiVersion: string, kind: string): ServedResource | undefined
  /** Calls the follower once for each resource while it is there; what it returns ends that. */
  followResources(follower: (resource: ServedResource) => () => void): () => void
  /** Returns the resources that there are right now. */
  discover(): Promise<DiscoveredResources>
  /** Calls the listener for everything that is there, maybe before this returns, and for every change. */
  follow(resource: Resource, options: FollowOptions, listener: (change: ObjectChange) => void): Following
  /** Returns the latest state; undefined if the server knows the resource but has no such object. */
  get(resource: Resource, ref: ObjectRef, options?: ReadOptions): Promise<KubeObject | undefined>
  list(resource: Resource, namespace: string, options?: ReadOptions): Promise<readonly KubeObject[]>
  create(resource: Resource, object: KubeObject): Promise<void>
  /** Replaces an object, or what a subresource shows of it, if it has not changed since it was read. */
  update(resource: Resource, object: KubeObject, subresource?: 'status' | 'finalize'): Promise<void>
  /** Merges members into an object's metadata, the only part known, if it has not changed since. */
  updateMetadata(resource: Resource, object: KubeObject, changes: JsonObject): Promise<KubeObject>
  /** Deletes this very object; one that is gone is no error. */
  delete(resource: Resource, object: KubeObject, options?: DeletionOptions): Promise<void>
}

export const refOf = ({ metadata: { namespace, name = '' } }: KubeObject): ObjectRef =>
  namespace ? { namespace, name } : { name }

/** Returns the name of a resource in quotas and keys, such as `pods` or `databases.example.org`. */
export const resourceKey = ({ group, plural }: Pick<Resource, 'group' | 'plural'>): string =>
  group === '' ? plural : `${plural}.${group}`

/** Reports whether an error is a 409: another writer has changed the object, or made it. */
export const isConflict = (error: unknown): boolean => codeOf(error) === 409

export const isNotFound = (error: unknown): boolean => codeOf(error) === 404

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
