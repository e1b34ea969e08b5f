/** A slice of one address type and port set, in which every endpoint has its place already. */
export interface PackedSlice {
  /** Endpoints in it. */
  readonly size: number
  /** Operation that the plan does with it anyway; another change of a slice that is written costs nothing. */
  readonly write: 'create' | 'update' | 'none'
}

/** A slice that is given up, and where its endpoints go: to the slices at these places in the list. */
export interface Merge {
  readonly from: number
  /** Slices that take its endpoints, in this order; the counts add up to the size of the slice given up. */
  readonly into: readonly { readonly slice: number; readonly count: number }[]
}

/**
 * Decides which slices of a group are given up for others to hold their endpoints. Pure; asked only when the
 * plan writes a slice of the group anyway, so that an unchanged Service costs no write whatever the policy
 * is. No slice may end above the maximum, and none that was given up may take endpoints afterwards.
 */
export type PackingPolicy = (slices: readonly PackedSlice[], maxEndpointsPerSlice: number) => readonly Merge[]

/** Packs as the in-tree controller does: slices are never merged. */
export const upstreamPacking: PackingPolicy = () => []
