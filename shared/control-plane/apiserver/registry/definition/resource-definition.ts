import type { NameRule } from '../../../../kubernetes/index.ts'
import type { FieldError } from '../../../apimachinery/errors/field.ts'
import type { Status } from '../../../apimachinery/errors/status.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { FinalizerRule } from '../../../apimachinery/validation/metadata.ts'
import type { ObjectStore } from '../../storage/object-store.ts'
import type { ConvertedObjects } from '../external-conversion.ts'
import type { Lifetime } from '../lifetime.ts'
import type { ObjectReader } from '../object-reader.ts'
import type { ConvertNow } from '../replay.ts'
import type { Codec, SharedStorage } from './codec.ts'
import type { Strategy } from './strategy.ts'
import type { TableColumns } from './table-columns.ts'
import type { WriteContext } from './write-context.ts'

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

export const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

/** Everything the server knows of a resource: names, form, what may be done with it, and how that is done. */
export interface ResourceDefinition {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Its name in paths, as `configmaps`. */
  readonly plural: string
  readonly singular: string
  readonly shortNames?: readonly string[]
  /** Names of several resources, as `all`. */
  readonly categories?: readonly string[]
  /** Default: the kind with `List` behind it. */
  readonly listKind?: string
  readonly namespaced: boolean

  /** Go struct of the schema table, as `core.Pod`; without one objects are stored as they come. */
  readonly schema?: string
  /** Instead of `schema`, for resources that are made at run time. */
  readonly codec?: Codec
  /**
   * OpenAPI v3 schema of a resource without `schema`: what `kubectl explain` shows, and server-side apply
   * goes by. Nothing else is held to it: `strategy.validate` says what is wrong with an object. Default:
   * everything is allowed.
   */
  readonly openApi?: JsonObject
  /** True for a version of a resource that is stored as another version of it. */
  readonly storedElsewhere?: boolean
  /** Storage of a resource whose objects are those of another resource, in another form. */
  readonly shares?: SharedStorage
  /** The version that kube-apiserver stores objects as, if it is another: discovery has its hash. */
  readonly upstreamVersion?: string

  /** Default: all. */
  readonly verbs?: readonly Verb[]
  /**
   * Default false. True: `/status` is a subresource, and updates of the main path leave status alone. What a
   * new object says of its status stays, unless `strategy.prepareForCreate` drops it.
   */
  readonly hasStatus?: boolean
  /** True: a write to `/status` makes no owner of metadata, which stays. Default: for custom resources. */
  readonly statusKeepsMetadata?: boolean
  /** Subresources by name, beside `status`. */
  readonly subresources?: Readonly<Record<string, Subresource>>
  /** Default true: an update without resourceVersion overwrites. */
  readonly unconditionalUpdate?: boolean
  /** Default false: PUT on a name that does not exist creates. */
  readonly createOnUpdate?: boolean
  /** Default false: a delete answers a Status; true: the object. */
  readonly returnsDeleted?: boolean
  /** Fields for field selectors beside name and namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>
  /** Default: name and age. */
  readonly table?: TableColumns
  /** A text that every answer warns with. */
  readonly deprecation?: string

  /** Default: RFC 1123 subdomain. */
  readonly nameRule?: NameRule
  /** Default `qualified`. */
  readonly finalizers?: FinalizerRule
  readonly strategy?: Strategy
  readonly lifecycle?: Lifecycle
}

/** Subresource of another kind, such as a Scale: the kind it is read as, and how it is made of the object. */
export interface OtherKind {
  readonly definition: ResourceDefinition
  of(object: KubeObject): KubeObject
  /** Returns the answer to a `get`. It may refuse what a write can do without. Default: `of`. */
  read?(object: KubeObject): KubeObject
}

/** One more path below an object. */
export interface Subresource {
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly schema?: string
  readonly verbs: readonly ('create' | 'get' | 'patch' | 'update')[]
  /** Default: the object itself is what is read, patched and replaced. */
  readonly shows?: OtherKind
  /** Lays what the subresource may change over the stored object; for `update` and `patch`. */
  merge?(submitted: KubeObject, stored: KubeObject): KubeObject
  /**
   * Prepares as the strategy's `prepareForUpdate` does; for `update` and `patch`. Default, of `status` alone:
   * its `prepareForStatusUpdate`.
   */
  prepare?(object: KubeObject, old: KubeObject, context: WriteContext): void
  /** Validates; for `update` and `patch`. Default: the strategy's `validateStatusUpdate`. */
  validate?(object: KubeObject, old: KubeObject): FieldError[]
  /** Sets defaults as the strategy's does; for `create`. */
  setDefaults?(submitted: KubeObject): void
  /** Does what the POST asks for; for `create`. Returns the new state; undefined: delete the object. */
  create?(
    submitted: KubeObject,
    stored: KubeObject,
    context: WriteContext,
  ): SubresourceResult | Promise<SubresourceResult>
}

export type SubresourceResult =
  /** Answers an object and leaves the stored one as it is. */
  | { readonly action: 'answer'; readonly object: KubeObject }
  | { readonly action: 'update'; readonly object: KubeObject; readonly status: Status }
  | DeleteResult

/** The object is deleted, by options of the request; it is written as `object` before, where there is one. */
export interface DeleteResult {
  readonly action: 'delete'
  readonly status: Status
  readonly options?: DeleteOptions
  readonly object?: KubeObject
  /** True for a dry run that the body asks for. */
  readonly dryRun?: boolean
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | bigint
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** Address of a server. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/** Work of a resource beside requests: it keeps objects that every server has, or that follow others. */
export interface Lifecycle {
  /** Starts after all resources, before requests; `onError` gets later failures. Returns what ends it. */
  start?(registry: Endpoints, onError: (error: unknown) => void): (() => void) | undefined
  /** Called each time that the server begins to listen. */
  listening?(registry: Endpoints, address: ServerAddress): void
}

/** The resources that a server has, as their lifecycles find them. */
export interface Endpoints {
  readonly objects: ObjectReader
  endpoint(group: string, version: string, plural: string): Endpoint | undefined
}

/** Operations of a store that the verbs use. */
export type EndpointStore = Pick<
  ObjectStore,
  | 'changesSince'
  | 'compacted'
  | 'count'
  | 'flush'
  | 'get'
  | 'list'
  | 'put'
  | 'reached'
  | 'records'
  | 'recordsAt'
  | 'remove'
  | 'revision'
  | 'subscribe'
>

/** Operations of a store that a write needs. */
export type WriteStore = Pick<EndpointStore, 'get' | 'put' | 'remove'>

/** A resource with what holds its objects while one of them is written. */
export interface WriteEndpoint {
  readonly definition: ResourceDefinition
  /** The resource's name in the store. */
  readonly resource: string
  readonly store: WriteStore
  /** An object of the resource as another of its versions. */
  readonly convert?: ConvertNow
  readonly objects: ObjectReader
}

/** A resource with the store that holds its objects: what the verbs work on. */
export interface Endpoint extends WriteEndpoint {
  readonly store: EndpointStore
  /** Conversion that takes time: `store` holds other versions, and this is how they are read and written. */
  readonly converted?: ConvertedObjects
  /** Time for which a resource that may be defined again is served as it is. */
  readonly served?: Lifetime
}
