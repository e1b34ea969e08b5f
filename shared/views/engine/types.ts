import type { JsonObject } from '../json/index.ts'

/** Kinds of events of an object. All but Deleted and Sync carry the object as it is now. */
export type ObjectEventType = 'Added' | 'Updated' | 'Upserted' | 'Replaced' | 'Deleted'

export interface ObjectEvent {
  readonly type: ObjectEventType
  /** The object in its JSON form, with apiVersion and kind. The engine keeps it: change only a copy of it. */
  readonly object: unknown
}

/** An object of a view. */
export interface ViewObject extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string }
}

/** A change of a view, settled: at most one for each object and change of the outside. */
export type ViewEvent =
  | { readonly type: 'Added'; readonly object: ViewObject; readonly old?: undefined }
  | { readonly type: 'Updated'; readonly object: ViewObject; readonly old: ViewObject }
  /** `object` and `old` are the object as it was last. */
  | { readonly type: 'Deleted'; readonly object: ViewObject; readonly old: ViewObject }

/** A result of a controller's pipeline for its target, which is a view or an object of the API. */
export interface PipelineDelta {
  readonly controller: string
  readonly type: 'Upserted' | 'Deleted'
  readonly object: ViewObject
}

/** An object that something could not be done with. It holds up nothing else. */
export interface ObjectProblem {
  /** Empty where the object did not come as far as a controller. */
  readonly controller: string
  /** Place of the failure, such as `@project (step 2)`, `target`, `event`. */
  readonly step: string
  /** The objects concerned, as `Kind namespace/name`. */
  readonly objects: readonly string[]
  readonly message: string
}

/** All that one change led to, in a fixed order: deletions first. */
export interface Outcome {
  readonly pipeline: readonly PipelineDelta[]
  readonly view: readonly ViewEvent[]
  readonly problems: readonly ObjectProblem[]
}

/** The objects of which a view object was made. */
export interface Explanation {
  readonly object: ViewObject
  readonly controllers: readonly ControllerExplanation[]
}

export interface ControllerExplanation {
  readonly controller: string
  /** Steps that the object went through, such as `@unwind $.endpoints`. */
  readonly steps: readonly string[]
  /** One for each combination of source objects and list elements that gave it or a part of it. */
  readonly origins: readonly OriginExplanation[]
}

export interface OriginExplanation {
  readonly objects: readonly OriginObject[]
  /** Index of the element that each `@unwind` took, from 0. */
  readonly elements: readonly number[]
}

export interface OriginObject {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** Origin of the object, if it belongs to a view itself. */
  readonly from?: Explanation
}

export interface ViewReference {
  readonly kind?: string
  readonly namespace?: string
  readonly name: string
}

/**
 * Keeps the views of a spec while objects change. What it returns shares parts with what it keeps, as in an
 * informer's cache: change only copies.
 */
export interface Engine {
  /** Fires the OneShot sources. Call it once, before anything else. */
  start(): Outcome
  /** Takes in changes of objects; several at once are settled together. */
  apply(...events: readonly ObjectEvent[]): Outcome
  /** Gives everything to the targets again, as a Periodic source does. Default: for all controllers. */
  sync(controller?: string): Outcome
  /** Returns every object of the views. */
  views(): ViewObject[]
  explain(reference: ViewReference): Explanation[]
}

export interface EngineOptions {
  /**
   * `incremental` stores what it needs to recompute only changes; `snapshot` recomputes everything. Default
   * `incremental`.
   */
  readonly mode?: 'incremental' | 'snapshot'
  /** Default: the system's. */
  readonly now?: () => Date
  /** Source of random numbers from 0 to below 1. Default: Math.random. */
  readonly random?: () => number
}
