import type { LabelRequirement } from '../../kubernetes/index.ts'
import type { Expression, PathExpression } from '../expressions/index.ts'
import type { Path } from '../jsonpath/index.ts'

/** A spec that was read and checked: controllers that make views of objects, and views of views. */
export interface OperatorSpec {
  /** Gives the group of its views: `<name>.view.dcontroller.io`. */
  readonly name: string
  readonly controllers: readonly ControllerSpec[]
}

export interface ControllerSpec {
  readonly name: string
  readonly sources: readonly SourceSpec[]
  readonly pipeline: PipelineSpec
  readonly target: TargetSpec
}

/** A kind of object, without its version: an object is the same in all of them. */
export interface GroupKind {
  /** Empty for the core group. */
  readonly group: string
  readonly kind: string
}

/** The kind of a source or target. */
export interface ResourceSpec extends GroupKind {
  /** undefined: whichever the API server prefers. Views have `v1alpha1`. */
  readonly version: string | undefined
  /** Whether it is a view of this operator. */
  readonly isView: boolean
}

export type SourceType = 'Watcher' | 'OneShot' | 'Periodic'

export interface SourceSpec extends ResourceSpec {
  readonly type: SourceType
  readonly namespace: string | undefined
  readonly labelSelector: readonly LabelRequirement[]
  readonly predicate: Predicate | undefined
  /** Period of a Periodic source, in milliseconds. */
  readonly periodMs: number
}

/** A condition on changes of an object. */
export type Predicate =
  | {
      readonly kind: 'GenerationChanged' | 'ResourceVersionChanged' | 'LabelChanged' | 'AnnotationChanged'
    }
  | { readonly kind: 'And' | 'Or'; readonly of: readonly Predicate[] }
  | { readonly kind: 'Not'; readonly of: Predicate }

/** Updater: the view or object is the pipeline's. Patcher: that is merged into what is there. */
export type TargetType = 'Updater' | 'Patcher'

export interface TargetSpec extends ResourceSpec {
  readonly type: TargetType
}

export interface PipelineSpec {
  readonly join: JoinSpec | undefined
  readonly steps: readonly StepSpec[]
}

export interface JoinSpec {
  readonly condition: Expression
  /** The step's number in the pipeline, from 0, for messages. */
  readonly index: number
}

export type StepSpec = { readonly index: number } & (
  | { readonly op: '@select'; readonly condition: Expression }
  /** Parts are evaluated one by one and merged. */
  | { readonly op: '@project'; readonly parts: readonly Expression[] }
  | { readonly op: '@unwind'; readonly path: PathExpression }
  | GatherSpec
)

export interface GatherSpec {
  readonly op: '@gather'
  readonly index: number
  readonly key: Expression
  readonly value: Expression
  /** Path to which the list of values is written. */
  readonly path: Path
  /**
   * Equal values count once. So it is for elements that `@unwind` took out of joined objects: an address in
   * two slices of a Service is one address. Fields of whole objects are kept one by one.
   */
  readonly distinct: boolean
}

export const VIEW_GROUP_SUFFIX = 'view.dcontroller.io'
export const VIEW_VERSION = 'v1alpha1'

export const viewGroup = (operator: string): string => `${operator}.${VIEW_GROUP_SUFFIX}`
