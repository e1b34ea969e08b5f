import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import type { SameClusterError } from '../../shared/clusters/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { FleetPlan } from '../explain/index.ts'
import type { ExaminedCluster } from './examined-cluster.ts'
import type { RoleGroup } from './roles.ts'

/**
 * `failure`: `run` would fail here, or publish what is wrong. `warning`: it would work, but an operator
 * should know. `unchecked`: an earlier failure left nothing to check, or it reads what only these checks may.
 */
export type Mark = 'ok' | 'warning' | 'failure' | 'unchecked'

export interface Finding {
  readonly mark: Mark
  readonly reason: string
  /** What to do or to type; absent where nothing is to be done. */
  readonly advice?: string | undefined
}

/** A cluster set, and what its start would write. */
export interface Fleet {
  readonly set: ClusterSet
  readonly plan: () => Promise<FleetPlan>
}

export interface CheckContext {
  readonly cluster: ExaminedCluster
  /** All clusters of the command, this one among them, in order. */
  readonly clusters: readonly ExaminedCluster[]
  readonly settings: Settings
  /** Cluster sets of the settings; those without this cluster as well. */
  readonly fleets: readonly Fleet[]
  /** Permissions that Sliceflow needs in this cluster. */
  readonly roles: readonly RoleGroup[]
  /** Finds out which clusters are others again, by what they say of themselves. */
  readonly sameClusters: () => Promise<readonly SameClusterError[]>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** One check of a cluster. To add one, add an object to a list in `checks/`. */
export interface Check {
  readonly name: string
  /** Whether later checks of the cluster make no sense after its failure. Default false. */
  readonly isGate?: true
  /**
   * Returns undefined where the settings leave nothing to check.
   * @throws ForbiddenError where a permission lacks: that is a warning with the command that grants it, or
   *   `unchecked` where `run` does not need it
   * @throws Error of another kind: that is a failure
   */
  run(context: CheckContext): Promise<Finding | undefined>
}

export const ok = (reason: string): Finding => ({ mark: 'ok', reason })
export const warning = (reason: string, advice?: string): Finding => ({ mark: 'warning', reason, advice })
export const failure = (reason: string, advice?: string): Finding => ({ mark: 'failure', reason, advice })
export const unchecked = (reason: string): Finding => ({ mark: 'unchecked', reason })
