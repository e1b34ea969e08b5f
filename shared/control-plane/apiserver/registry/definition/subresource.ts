import type { FieldError, Status } from '../../../apimachinery/errors/index.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { DeleteOptions } from '../delete.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { WriteContext } from './write-context.ts'

/**
 * Subresource that is an object of another kind, such as a Scale: the kind as which it is read, and how it is
 * made of the object.
 */
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
  /**
   * Does to the object what the POST asks for; for `create`. Returns its new state, or undefined when it is
   * to be deleted.
   */
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
