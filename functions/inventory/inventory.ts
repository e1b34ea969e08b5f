import type { SecondControllerStatus } from '../local/index.ts'

export interface PausedService {
  /** `namespace/name`. */
  readonly service: string
  /** RFC 3339; absent where it is not known. */
  readonly since?: string
}

/** Contents of a cluster by its lists. */
export interface ClusterInventory {
  readonly name: string
  /** Version of the API server, such as `v1.36.4`. */
  readonly serverVersion: string
  /** Services managed in this mode, and those with slices of ours that mirror Endpoints. */
  readonly services: number
  /** Services that ask to be managed with an invalid annotation. */
  readonly invalid: readonly string[]
  /** Paused Services: their slices are neither read nor changed. */
  readonly paused: readonly PausedService[]
  /** Value of the label managed-by that slices of ours have. */
  readonly managedBy: string
  /** Ours: those with the managed-by value. */
  readonly slices: number
  readonly endpoints: number
  /** Slices of ours whose Service is gone, or not managed any more though leftovers are to be deleted. */
  readonly orphans: readonly string[]
  /** Managed Services that the in-tree controller has slices of too. */
  readonly doublyManaged: readonly string[]
  /**
   * Slices that we made with other settings and that nothing updates: those with another managed-by value,
   * and those of Services that this mode does not manage.
   */
  readonly leftBehind: readonly { readonly slice: string; readonly managedBy: string }[]
  /** Managed Services with a plan that is held because it removes too many ready endpoints. */
  readonly held: readonly string[]
  /** Slices of ours that are left alone for a while, since somebody edits them after every repair. */
  readonly fights: readonly string[]
  /**
   * Controllers that have written slices of ours in the last minutes, each with the Service that it wrote
   * last. Where the relay of the cluster was named, its report has them, which knows since when we run.
   */
  readonly secondControllers: readonly SecondControllerStatus[]
}
