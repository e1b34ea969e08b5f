import type { Settings } from '../../settings/index.ts'
import { createDeletionFights, type DeletionFights } from './deletion-fights.ts'
import type { GuardSettings } from './guard-plan.ts'
import { type AddressFilter, createAddressFilter } from './refused-addresses.ts'
import type { UnreachablePolicy } from './unreachable.ts'

/** State and rules that the guards of all keys share. */
export interface Guards {
  readonly addresses: AddressFilter
  readonly lost: DeletionFights
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The settings of everything that comes between a plan and its writing. */
export type GuardsSettings = GuardSettings &
  UnreachablePolicy &
  Pick<Settings, 'leftovers' | 'refusedAddresses'>

export const createGuards = (
  { refusedAddresses }: Pick<Settings, 'refusedAddresses'>,
  now: () => number,
): Guards => ({ addresses: createAddressFilter(refusedAddresses), lost: createDeletionFights(now), now })
