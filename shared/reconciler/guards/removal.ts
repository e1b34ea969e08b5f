import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Changes } from '../slice-changes.ts'
import { allAddresses, readyAddresses, slicesAfter, slicesByName } from './published-addresses.ts'
import { ourReadyIn } from './published-annotation.ts'

/** Effect of a plan on a Service's ready addresses, over all of its slices and address types. */
export interface Removal {
  /** Ready ones before that we published: what others wrote into our slices is theirs to lose. */
  readonly ready: number
  /** Number of addresses fewer than before. Addresses that replace others make up for them. */
  readonly lost: number
}

export function removalOf(slices: readonly EndpointSlice[], changes: Changes): Removal {
  const before = slicesByName(slices)
  const after = slicesAfter(before, changes)
  const kept = allAddresses(after)
  const ready = new Set([...before.values()].flatMap((slice) => [...ourReadyIn(slice, kept)])).size
  return { ready, lost: Math.max(0, ready - readyAddresses(after).size) }
}

export type RemovalLimits = Pick<Settings, 'maximumRemoval' | 'maximumRemovalCount'>

/** Reports whether a removal exceeds both limits, the share and the count. */
export const isExcessive = (
  { ready, lost }: Removal,
  { maximumRemoval, maximumRemovalCount }: RemovalLimits,
): boolean => lost > maximumRemovalCount && lost > ready * maximumRemoval
