import { writerName } from '../../changes/index.ts'
import { type ContentSettings, contentDigest, type Settings } from '../../settings/index.ts'
import { type Contests, createContests, createDeletionFights, type DeletionFights } from './fights/index.ts'
import type { GuardSettings } from './guard.ts'
import { createLogLimit, type LogLimit } from './log-limit.ts'
import { type AddressFilter, createAddressFilter } from './refused/index.ts'
import type { UnreachablePolicy } from './unreachable.ts'

/** State and rules that the guards of all keys share. */
export interface Guards {
  readonly addresses: AddressFilter
  readonly lost: DeletionFights
  readonly contests: Contests
  /** Our name in the seals of what we write: by the settings that decide it. */
  readonly writer: string
  readonly logLimit: LogLimit
  /** Time at which the process began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The settings of everything that comes between a plan and its writing. */
export type GuardsSettings = GuardSettings &
  UnreachablePolicy &
  Pick<Settings, 'leftovers' | 'refusedAddresses'>

export const createGuards = (
  settings: Pick<Settings, 'refusedAddresses'> & Partial<ContentSettings>,
  now: () => number,
): Guards => ({
  addresses: createAddressFilter(settings.refusedAddresses),
  lost: createDeletionFights(now),
  contests: createContests(now),
  writer: writerName(contentDigest(settings)),
  logLimit: createLogLimit(now),
  startedAt: now(),
  now,
})
