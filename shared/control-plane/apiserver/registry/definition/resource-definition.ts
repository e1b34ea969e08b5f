import type { JsonObject } from '../../../apimachinery/json/index.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { FinalizerRule, NameRule } from '../../../apimachinery/validation/index.ts'
import type { Codec, SharedStorage } from './codec.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Strategy } from './strategy.ts'
import type { Subresource } from './subresource.ts'
import type { TableColumns } from './table-columns.ts'

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

/**
 * Everything the server knows about a resource: its names, its form, what may be done with it, and how that
 * is done.
 */
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

  /**
   * Name of the Go struct in the schema table, as `core.Pod`; without one objects are stored as they come.
   */
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
  /**
   * The version that kube-apiserver stores objects as, where it is another one: discovery has a hash of it.
   */
  readonly upstreamVersion?: string

  /** Default: all. */
  readonly verbs?: readonly Verb[]
  /**
   * Default false. True: `/status` is a subresource, and updates of the main path leave status alone. What a
   * new object says of its status stays, unless `strategy.prepareForCreate` drops it.
   */
  readonly hasStatus?: boolean
  /**
   * Default: true of custom resources. True: nobody owns what a write to `/status` says of the metadata,
   * which stays as it is.
   */
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
