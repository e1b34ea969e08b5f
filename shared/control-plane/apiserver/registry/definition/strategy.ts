import type { FieldError } from '../../../apimachinery/errors/field.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { WriteContext } from './write-context.ts'

/**
 * Rules of one resource. Every member is optional. Methods that return nothing change the object that they
 * are handed, which is a fresh copy in canonical form; all other objects must be left as they are.
 * They are called in these orders, around the server's own rules of metadata:
 * - create: `load`, `setDefaults`, `admit`, mutating admission, `prepareForCreate`, `validate`,
 *   `validateCreate`, `allocate`, `warn`, validating admission
 * - create of a question: `load`, `setDefaults`, `validate`, admission, `answer`
 * - update and patch: `load`, `setDefaults`, mutating admission, `prepareForUpdate`, `validateUpdate`,
 *   `validate`, `allocate`, `warn`, validating admission
 * - the same of `/status`: `prepareForStatusUpdate` and `validateStatusUpdate` in the places of those
 * - delete: `checkDelete`, `prepareForDelete`, `gracePeriod`
 */
export interface Strategy {
  /** Loads what judging objects needs before a client's write; undefined if it is there. Default: nothing. */
  load?(): Promise<void> | undefined
  /** Sets defaults, of submitted objects and of stored ones that are read as this version. */
  setDefaults?(object: KubeObject): void
  /** Returns the answer to a create of a kind that is a question: an access review. Nothing is stored. */
  answer?(submitted: KubeObject, context: WriteContext): KubeObject | Promise<KubeObject>
  /** Does what kube-apiserver's own admission plugins do to a new object, before any webhook sees it. */
  admit?(object: KubeObject, context: WriteContext): void
  /**
   * Drops what clients may not set, as status, and fills in what the server decides. `metadata.generation` is
   * counted here and in `prepareForUpdate`; where there is no `prepareForUpdate`, and no `schema`, it is 1 at
   * first, and each change of anything but metadata and status counts, as for custom resources.
   */
  prepareForCreate?(object: KubeObject, context: WriteContext): void
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  /** Validates on creation and on updates. */
  validate?(object: KubeObject, context: WriteContext): FieldError[]
  /** Validates on creation only, beside `validate`. */
  validateCreate?(object: KubeObject): FieldError[]
  /** Validates an update. `object` has passed `validate` unless its errors are in the list too. */
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[]
  validateStatusUpdate?(object: KubeObject, old: KubeObject): FieldError[]
  /**
   * Takes what is unique in the cluster, as addresses; throws where that fails. `old` is undefined on
   * creation. Returns what gives it back: called when the object is stored, which `onChange` has heard of by
   * then, and when it will not be.
   */
  allocate?(object: KubeObject, old: KubeObject | undefined, context: WriteContext): () => void
  /** Adds warnings about an accepted object. `old` is undefined on creation. */
  warn?(object: KubeObject, old: KubeObject | undefined, warnings: string[]): void
  /** Refuses a deletion by throwing. */
  checkDelete?(object: KubeObject): void
  /**
   * Returns the object as it is deleted: with finalizers that the server itself adds, and a deletionTimestamp
   * if it is not to be set as usual.
   */
  prepareForDelete?(object: KubeObject, context: WriteContext): KubeObject
  /** Returns the seconds until the object may go: 0 removes it at once; undefined: no graceful deletion. */
  gracePeriod?(object: KubeObject, wanted: number | bigint | undefined): number | bigint | undefined
  /** Whether objects stay terminating until their subresource `finalize` empties `spec.finalizers`. */
  readonly finalizedBySpec?: boolean
  /** Called after every committed write and for every object at start. */
  onChange?(object: KubeObject | undefined, old: KubeObject | undefined): void
}
