import type { LabelRequirement } from '../../kubernetes/index.ts'

/** Pods that are selected, and the way in which they are seen. */
export interface PodSelection {
  readonly selector: readonly LabelRequirement[]
  readonly namespace: string
  /**
   * Names of the clusters that the pods are in, each once, in the order of precedence; absent: the Service's
   * own.
   */
  readonly clusters?: readonly string[]
  /** `namespace/name` or `name` of the network whose addresses are published; absent: the cluster's own. */
  readonly network?: string
  /** CIDR ranges in which addresses of the network are published, and no others. */
  readonly networkRanges?: readonly string[]
}

/**
 * Reason why a Service is not ours: its type, or in `custom` mode a selector or no annotation, in `replace`
 * mode no selector.
 */
export type UnmanagedReason = 'ExternalName' | 'HasSelector' | 'NotAnnotated' | 'NoSelector'

/** Relation of Sliceflow to a Service. */
export type Selection =
  /** Its slices hold the pods that match. */
  | ({ readonly kind: 'managed' } & PodSelection)
  /** Its slices hold these addresses. */
  | { readonly kind: 'static'; readonly addresses: readonly string[] }
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
  readonly annotation: string
  /** A clause of at most 300 characters. */
  readonly problem: string
  /** It is understood, and names what the Service may not name. */
  readonly isRefused?: true
}

/** Says what is wrong with a Service, as a clause. */
export const invalidReason = ({ annotation, problem, isRefused }: InvalidSelection): string =>
  `the annotation ${annotation} ${isRefused ? 'is refused' : 'cannot be used'}: ${problem}`
