import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Changes } from '../slice-changes.ts'
import { allAddresses, readyAddresses, slicesAfter, slicesByName } from './published/published-addresses.ts'
import { ourReadyIn } from './published/published-annotation.ts'

/** Effect of a plan on a Service's ready addresses, over all of its slices and address types. */
export interface Removal {
  /** Ready ones before that we published: what others wrote into our slices is theirs to lose. */
  readonly ready: number
  /** Number of addresses fewer than before. Addresses that replace others make up for them. */
  readonly lost: number
}

/** @param leftOut addresses that are left out on purpose: those that go are no loss */
export function removalOf(
  slices: readonly EndpointSlice[],
  changes: Changes,
  leftOut: ReadonlySet<string> = new Set(),
): Removal {
  const before = slicesByName(slices)
  const after = slicesAfter(before, changes)
  const planned = allAddresses(after)
  const readyAfter = readyAddresses(after)
  const ours = new Set([...before.values()].flatMap((slice) => [...ourReadyIn(slice, planned)]))
  const ready = [...ours].filter((address) => readyAfter.has(address) || !leftOut.has(address)).length
  return { ready, lost: Math.max(0, ready - readyAfter.size) }
}

export type RemovalLimits = Pick<Settings, 'maximumRemoval' | 'maximumRemovalCount'>

/** Reports whether a removal exceeds both limits, the share and the count. */
export const isExcessive = (
  { ready, lost }: Removal,
  { maximumRemoval, maximumRemovalCount }: RemovalLimits,
): boolean => lost > maximumRemovalCount && lost > ready * maximumRemoval
