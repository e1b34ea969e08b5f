import type { FieldError, GroupKind, Status } from '../errors/index.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { KubeObject } from '../objects.ts'
import type { FinalizerRule, NameRule } from '../validation/index.ts'
import type { Decision, RequestAttributes, TokenClaims } from './access.ts'
import type { RequestAdmission } from './admission/index.ts'
import type { DeleteOptions } from './delete.ts'
import type { Registry } from './registry.ts'

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

/** Who asks. */
export interface User {
  readonly username: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What a write needs to know of its request. */
export interface WriteContext {
  readonly user: User
  readonly dryRun: boolean
  /** The manager that the write is tracked under. */
  readonly fieldManager: string
  /** True for a server-side apply: the submitted object says already who owns its fields. */
  readonly applied?: boolean
  /** Texts for `Warning` headers; strategies add to them. */
  readonly warnings: string[]
  readonly objects: ObjectReader
  /** Undefined: the write goes around admission, as the server's own do. */
  readonly admission?: RequestAdmission
  /** Whether a user may do something: what the server's authorizer says. */
  readonly authorize: (attributes: RequestAttributes) => Decision
  /** Who a bearer token stands for; undefined where it is no good. */
  readonly authenticate: (token: string) => Promise<User | undefined>
  /** Signs a token of a service account. */
  readonly issueToken: (claims: TokenClaims) => Promise<string>
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Reads of other resources that a strategy may do; resources are named as `configmaps` or `endpointslices.discovery.k8s.io`. */
export interface ObjectReader {
  get(resource: string, namespace: string, name: string): KubeObject | undefined
  list(resource: string, namespace?: string): KubeObject[]
}

export interface Column {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
}

/** How `kubectl get` shows a resource. */
export interface TableColumns {
  readonly columns: readonly Column[]
  /** One cell a column. `now` is in milliseconds since 1970. */
  cells(object: KubeObject, now: number): JsonValue[]
  /** The order of a list's rows. Default: that of the list. */
  readonly compare?: (a: KubeObject, b: KubeObject) => number
  /** True: a table without rows says null instead of an empty list, as those of upstream's apiextensions do. */
  readonly nullWithoutRows?: boolean
}

/**
 * What is particular to a resource. Every method is optional. Objects handed to `setDefaults` and the `prepare` methods are fresh copies
 * in canonical form and may be changed; all others must be left as they are.
 */
export interface Strategy {
  setDefaults?(object: KubeObject): void
  /** For kinds that are questions, as access reviews: what a create answers. Nothing is stored. */
  answer?(submitted: KubeObject, context: WriteContext): KubeObject | Promise<KubeObject>
  /** What kube-apiserver's own admission plugins do to a new object of the kind, before any webhook sees it. */
  admit?(object: KubeObject, context: WriteContext): void
  /** Drops what clients may not set and fills in what the server decides. */
  prepareForCreate?(object: KubeObject, context: WriteContext): void
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  validate?(object: KubeObject, context: WriteContext): FieldError[]
  /** On creation only, beside `validate`. */
  validateCreate?(object: KubeObject): FieldError[]
  /** `object` has passed `validate` unless it is in the returned errors too. */
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[]
  validateStatusUpdate?(object: KubeObject, old: KubeObject): FieldError[]
  /** Takes what is unique in the cluster, as addresses; throws where that fails. Runs after validation. */
  allocate?(object: KubeObject, old: KubeObject | undefined, context: WriteContext): void
  /** Loads what judging objects needs, before the write of a client; undefined where everything is there. Default: nothing is needed. */
  load?(): Promise<void> | undefined
  /** Refuses a deletion by throwing. */
  checkDelete?(object: KubeObject): void
  /** The object as it is deleted: with finalizers that the server itself adds, and a deletionTimestamp where it is not to be set as usual. */
  prepareForDelete?(object: KubeObject, context: WriteContext): KubeObject
  /** Seconds until the object may go; 0 removes it at once, undefined says that it is not deleted gracefully. */
  gracePeriod?(object: KubeObject, wanted: number | undefined): number | undefined
  /** True for a resource whose objects stay terminating until their subresource `finalize` empties `spec.finalizers`. */
  readonly finalizedBySpec?: boolean
  /** Called after every committed write and for every object at start. */
  onChange?(object: KubeObject | undefined, old: KubeObject | undefined): void
}

/** Reads and writes the objects of a resource that no Go struct describes. */
export interface Codec {
  /** Submitted JSON as an object: pruned, defaults filled in. Throws DecodeError where metadata has a wrong type. */
  decode(value: JsonObject): KubeObject
  /** The object with its members in order. */
  encode(object: KubeObject): KubeObject
  /** The paths of fields that `decode` drops, as `spec.a[0].b`. */
  unknownFields(value: JsonObject): string[]
  /** A stored object as the version of this definition; the object itself is left as it is. */
  fromStorage(object: KubeObject): KubeObject
  toStorage(object: KubeObject): KubeObject
  /** The OpenAPI schemas of all versions, by apiVersion, where there are several. */
  readonly versions?: ReadonlyMap<string, JsonObject>
  /** An object as another version, where that takes nobody outside. */
  readonly rename?: (object: KubeObject, apiVersion: string) => KubeObject
  /** Instead of `fromStorage` and `toStorage`, where somebody outside knows how, as a conversion webhook. */
  readonly external?: ExternalConversion
}

/** Conversion that takes time and may fail: it rejects with an ApiError. */
export interface ExternalConversion {
  /** Stored objects, of any versions, as the version of the definition; in their order. */
  fromStorage(objects: readonly KubeObject[]): Promise<KubeObject[]>
  toStorage(object: KubeObject): Promise<KubeObject>
  /** An object of any version as another. */
  convert(object: KubeObject, apiVersion: string): Promise<KubeObject>
}

/** Where the objects of a resource are that another resource stores, as events.k8s.io shares its events with the core group. */
export interface SharedStorage {
  /** Group of that resource: validation errors name the kind with it. */
  readonly group: string
  /** The resource that stores them, as `events`. */
  readonly resource: string
  /** A stored object as one of this resource; the object itself is left as it is. */
  fromStorage(object: KubeObject): KubeObject
  toStorage(object: KubeObject): KubeObject
}

/** Of a subresource that is an object of another kind, as a Scale: what it is read as, and how it is made of the object. */
export interface OtherKind {
  readonly definition: ResourceDefinition
  of(object: KubeObject): KubeObject
  /** What a `get` answers; it may refuse what a write can do without. Default: `of`. */
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
  /** For `update` and `patch`: lays what the subresource may change over the stored object. */
  merge?(submitted: KubeObject, stored: KubeObject): KubeObject
  /** For `update` and `patch`: as the strategy's `prepareForUpdate`. Default, of `status` alone: its `prepareForStatusUpdate`. */
  prepare?(object: KubeObject, old: KubeObject, context: WriteContext): void
  /** For `update` and `patch`. Default: the strategy's `validateStatusUpdate`. */
  validate?(object: KubeObject, old: KubeObject): FieldError[]
  /** For `create`: as the strategy's. */
  setDefaults?(submitted: KubeObject): void
  /** For `create`: what the POST does to the object; returns its new state, or undefined when it is to be deleted. */
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

/** Where a server can be reached. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/** What a resource does by itself, beside requests: it keeps objects that every server has, or that follow others. */
export interface Lifecycle {
  /** Once all resources are there, before requests are; tells `onError` what fails later on. What it returns ends it. */
  start?(registry: Registry, onError: (error: unknown) => void): (() => void) | undefined
  /** Each time that the server begins to listen. */
  listening?(registry: Registry, address: ServerAddress): void
}

/** Everything the server knows about a resource. */
export interface ResourceDefinition {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** True for a version of a resource whose objects are stored as another one. */
  readonly storedElsewhere?: boolean
  /** The version that kube-apiserver stores objects as, where it is another one: discovery has a hash of it. */
  readonly upstreamVersion?: string
  /** For a resource whose objects are those of another one in another form; it is `storedElsewhere` too. */
  readonly shares?: SharedStorage
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** Default: all. */
  readonly verbs?: readonly Verb[]
  /** Name of the Go struct in the schema table, as `core.Pod`; without one objects are stored as they come. */
  readonly schema?: string
  /** Instead of `schema`, for resources that are made at run time. */
  readonly codec?: Codec
  /** OpenAPI v3 schema of a resource without `schema`. Default: everything is allowed. */
  readonly openApi?: JsonObject
  /** Default: the kind with `List` behind it. */
  readonly listKind?: string
  /** A text that every answer warns with. */
  readonly deprecation?: string
  /** Default: RFC 1123 subdomain. */
  readonly nameRule?: NameRule
  /** Default `qualified`. */
  readonly finalizers?: FinalizerRule
  /** Fields for field selectors beside name and namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>
  readonly table: TableColumns
  readonly strategy?: Strategy
  readonly lifecycle?: Lifecycle
  /** Default true: an update without resourceVersion overwrites. */
  readonly unconditionalUpdate?: boolean
  /** Default false: PUT on a name that does not exist creates. */
  readonly createOnUpdate?: boolean
  /** Default false: a delete answers a Status; true: the object. */
  readonly returnsDeleted?: boolean
  /** Default false: `/status` is a subresource and the main path leaves status alone. */
  readonly hasStatus?: boolean
  readonly subresources?: Readonly<Record<string, Subresource>>
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group ? `${group}/${version}` : version
}

/** The name under which a resource is stored and read: `configmaps`, `endpointslices.discovery.k8s.io`. */
export function resourceName({ group, plural }: { group: string; plural: string }): string {
  return group ? `${plural}.${group}` : plural
}

/** The kind as validation errors name it. */
export function errorKind({
  group,
  kind,
  shares,
}: Pick<ResourceDefinition, 'group' | 'kind' | 'shares'>): GroupKind {
  return { group: shares?.group ?? group, kind }
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name
}
