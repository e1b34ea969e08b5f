import { writerName } from '../../changes/index.ts'
import { type ContentSettings, contentDigest, type Settings } from '../../settings/index.ts'
import { BoundedCache } from '../../values/index.ts'
import { Contests } from './fights/contests.ts'
import { DeletionFights } from './fights/deletion-fights.ts'
import type { GuardSettings } from './guard.ts'
import { type AddressFilter, createAddressFilter } from './refused/refused-addresses.ts'
import type { UnreachablePolicy } from './unreachable.ts'

/** State and rules that the guards of all keys share. */
export interface Guards {
  readonly addresses: AddressFilter
  readonly lost: DeletionFights
  readonly contests: Contests
  /** Our name in the seals of what we write: by the settings that decide it. */
  readonly writer: string
  /** Lines of the log that were written lately. */
  readonly logged: BoundedCache<string, true>
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
  lost: new DeletionFights(now),
  contests: new Contests(now),
  writer: writerName(contentDigest(settings)),
  logged: new BoundedCache({ maxSize: MAX_LOGGED, ttlMs: LOG_INTERVAL_MS, now }),
  startedAt: now(),
  now,
})

/** Lines of the log about the same thing come at most once in this time, in milliseconds. */
export const LOG_INTERVAL_MS = 10 * 60_000
/** Anybody who may write slices can choose what a line is about, such as the name of a field manager. */
const MAX_LOGGED = 1_000
