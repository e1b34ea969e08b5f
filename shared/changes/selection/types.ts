import type { PodSelection, ReadSource } from '../sources/source.ts'

/**
 * Reason why a Service is not ours: its type, or in `custom` mode a selector or no annotation, in `replace`
 * mode no selector. An EndpointSelector may be the projection of a Service, whose slices are all there is.
 */
export type UnmanagedReason = 'ExternalName' | 'HasSelector' | 'NotAnnotated' | 'NoSelector' | 'Projection'

/** Relation of Sliceflow to a Service. */
export type Selection =
  /** Its slices hold the pods that match. */
  | ({ readonly kind: 'managed' } & PodSelection)
  /** Its slices hold what another source than pods gives for what it asks. */
  | SourcedSelection
  /**
   * Its slices mirror the Endpoints of its name, if there are any. What becomes of slices that we made
   * otherwise is as for `unmanaged`, which it would be without the setting `mirrorEndpoints`.
   */
  | ({ readonly kind: 'mirrored' } & Leftovers)
  /** Not ours; slices that we made before are left as they are, or removed. */
  | ({ readonly kind: 'unmanaged' } & Leftovers)
  /** Somebody has paused it: nothing is written, and what is published stays. */
  | PausedSelection
  /** Ours, but an annotation cannot be used; its slices stay as they are until it is mended. */
  | InvalidSelection

interface SourcedSelection {
  readonly kind: 'sourced'
  readonly source: ReadSource
  /** What the Service asks it for, such as addresses. */
  readonly asked: readonly string[]
}

/** Fate of slices of a Service that nothing selects endpoints for, and why nothing does. */
export interface Leftovers {
  readonly leftovers: 'keep' | 'delete'
  readonly reason: UnmanagedReason
}

export interface PausedSelection {
  readonly kind: 'paused'
  /** RFC 3339; absent where it is not known. */
  readonly since?: string
  /** What would be without the pause. */
  readonly of: UnpausedSelection
}

export type UnpausedSelection = Exclude<Selection, PausedSelection>

export interface InvalidSelection {
  readonly kind: 'invalid'
  /** Name of the annotation, or path of a field of the spec. */
  readonly annotation: string
  /** A clause of at most 300 characters. */
  readonly problem: string
  /** It is understood, and names what the Service may not name. */
  readonly isRefused?: true
}

/** Says what is wrong with a Service, as a clause. */
export const invalidReason = ({ annotation, problem, isRefused }: InvalidSelection): string =>
  `the ${annotation.includes('/') ? 'annotation' : 'field'} ${annotation} ${isRefused ? 'is refused' : 'cannot be used'}: ${problem}`
