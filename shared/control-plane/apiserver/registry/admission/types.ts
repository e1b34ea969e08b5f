import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { Decision, RequestAttributes, User } from '../access.ts'
import type { ObjectReader } from '../object-reader.ts'
import type { Reinvocation } from './reinvocation.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export interface GroupVersionKind {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  /** Plural name, without a subresource. */
  readonly resource: string
}

/** Facts of a request before there is an object. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation
  /** The kind that was asked for, in the version that was asked for. */
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  /** Empty for the object itself. */
  readonly subresource: string
  /** Namespace; for a Namespace its own name, and empty for other cluster-scoped objects. */
  readonly namespace: string
  /** Empty for a deletecollection, and until there is an object if the server names it (`generateName`). */
  readonly name: string
  readonly user: User
  readonly dryRun: boolean
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions` of meta.k8s.io/v1, as the client sent them. */
  readonly options: JsonObject
}

/** Time for which a client waits for the answer of a request. */
export interface RequestLifetime {
  /** When it must be answered, by `performance.now()` in milliseconds: setting the clock changes nothing. */
  readonly deadline: number
  /** Aborted once no client waits any longer: it has gone, or its time is over. Nothing is written then. */
  readonly signal: AbortSignal
}

/** A request on its way into the storage. Its objects, in its version, are replaced and never changed. */
export interface AdmissionAttributes extends AdmissionRequest {
  /** Object that is to be stored; undefined for DELETE. */
  readonly object: KubeObject | undefined
  /** Object that is stored; undefined for CREATE. */
  readonly oldObject: KubeObject | undefined
  /** Reads of other objects, in the versions that they are stored in. */
  readonly objects: ObjectReader
  /** Whether a user may do something: what the server's authorizer says. */
  readonly authorize: (attributes: RequestAttributes) => Decision
  /** Milliseconds since 1970. */
  readonly now: number
  /** Time limit to which a plugin that asks others must keep. */
  readonly lifetime: RequestLifetime
  /** Whether the mutating plugins run a second time, and what makes them. */
  readonly reinvocation: Reinvocation
  /**
   * Makes the request one for another object: fields that the kind does not have are dropped, defaults are
   * filled in. For `mutate` alone: throws an Error while the plugins validate or for a DELETE, and a
   * DecodeError where a value has the wrong type.
   */
  replaceObject(value: JsonObject): void
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void
  /** Adds an annotation to the audit log's event; of a `key`, a qualified name, the first value stays. */
  annotate(key: string, value: string): void
}

/**
 * One admission plugin, as upstream's `k8s.io/apiserver/pkg/admission`. It refuses a request by throwing an
 * `ApiError`, which is answered as it is. A plugin that `handles` a request may be asked several times for
 * it: whenever another writer has changed the object meanwhile.
 */
export interface AdmissionPlugin {
  readonly name: string
  /** Whether the plugin handles a request; one that it does not handle costs the least. Default: all. */
  handles?(request: AdmissionRequest): boolean
  /** Changes the object, before defaults, preparation and validation. Plugins run one after the other. */
  mutate?(attributes: AdmissionAttributes): void | Promise<void>
  /** Sees what is to be stored, after its validation; of a DELETE, what is stored. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>
}

/** Parts of a request for admission. Writes whose context has none bypass it. */
export interface RequestAdmission {
  readonly plugins: readonly AdmissionPlugin[]
  /** Options as the client sent them, without kind. */
  readonly options: JsonObject
  /** Time for which a client waits for the outcome. */
  readonly lifetime: RequestLifetime
  annotate(key: string, value: string): void
}
