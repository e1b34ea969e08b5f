import { hasSeal, isLeftBehind, isSealed, leftBehindAdvice } from '../../shared/changes/index.ts'
import {
  describeSlice,
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  type SliceExplanation,
} from '../../shared/endpointslice/index.ts'
import { counted } from '../terminal/index.ts'
import type { ManagerReport, SliceReport } from './report.ts'

export const managerOf = ({ metadata }: EndpointSlice): string => metadata?.labels?.[LABEL_MANAGED_BY] ?? ''

export function managersOf(slices: readonly EndpointSlice[], managedBy: string): ManagerReport[] {
  const managers = [...Map.groupBy(slices, managerOf)].map(([manager, theirs]) => ({
    managedBy: manager,
    isOurs: manager === managedBy,
    slices: theirs.length,
    endpoints: theirs.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0),
  }))
  const rank = (manager: ManagerReport): string => (manager.isOurs ? '' : manager.managedBy || '~')
  return managers.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** Warns of slices that we made under another managed-by value: nothing updates them. */
export function leftBehind(slices: readonly EndpointSlice[], managedBy: string): string[] {
  const others = slices.filter((slice) => isLeftBehind(slice, managedBy))
  return [...Map.groupBy(others, managerOf)].map(
    ([value, { length }]) =>
      `${counted(length, 'slice')} of ours ${length === 1 ? 'has' : 'have'} the managed-by value ${value}, which nothing updates: ${leftBehindAdvice(value)}`,
  )
}

/** Warns if the in-tree controller is at work on a Service that we manage as well. */
export function inTreeAtWork(slices: readonly EndpointSlice[], managedBy: string): string[] {
  const isAtWork =
    managedBy !== IN_TREE_CONTROLLER && slices.some((slice) => managerOf(slice) === IN_TREE_CONTROLLER)
  if (!isAtWork) return []
  return [
    `${IN_TREE_CONTROLLER} has slices of it too: turn the in-tree controller off (--controllers=*,-endpointslice-controller) and either delete its slices or take them over with --managed-by ${IN_TREE_CONTROLLER}`,
  ]
}

/** Warns of managers that publish the same addresses: consumers see these twice, or see one's mistake. */
export function doubleManagement(slices: readonly EndpointSlice[]): string[] {
  const addresses = [...Map.groupBy(slices, managerOf)].map(
    ([manager, theirs]) => [manager, new Set(theirs.flatMap(addressesOf))] as const,
  )
  return addresses.flatMap(([manager, set], index) =>
    addresses.slice(index + 1).flatMap(([other, others]) => {
      const both = set.intersection(others).size
      if (both === 0) return []
      return [
        `${nameOf(manager)} and ${nameOf(other)} both publish ${both} of its endpoints: consumers that take all slices see them twice, and one manager’s mistake stays visible when the other is right`,
      ]
    }),
  )
}

const addressesOf = ({ addressType, endpoints }: EndpointSlice): string[] =>
  (endpoints ?? []).flatMap(({ addresses }) =>
    (addresses ?? []).map((address) => `${addressType} ${address}`),
  )

const nameOf = (manager: string): string => manager || 'slices without a manager'

/** Reports what was explained of a slice, and whether one of ours is as we wrote it. */
export function reportSlice(
  explained: SliceExplanation,
  slice: EndpointSlice | undefined,
  managedBy: string,
): SliceReport {
  if (slice === undefined || managerOf(slice) !== managedBy || explained.outcome === 'Malformed')
    return explained
  return { ...explained, seal: sealOf(slice) }
}

/**
 * Explains a slice of a Service that is not planned for: ours are leftovers, and others are not compared.
 * @param goes whether it would be deleted
 */
export function explainLeftover(slice: EndpointSlice, managedBy: string, goes: boolean): SliceReport {
  const described = { ...describeSlice(slice), differences: [] }
  if (managerOf(slice) !== managedBy) return { ...described, outcome: 'Foreign', reasons: [] }
  const outcome = goes
    ? ({ outcome: 'Delete', reasons: ['its Service is gone, or not managed any more'] } as const)
    : ({ outcome: 'AsPlanned', reasons: ['it stays as it is'] } as const)
  return reportSlice({ ...described, ...outcome }, slice, managedBy)
}

function sealOf(slice: EndpointSlice): SliceReport['seal'] {
  if (!hasSeal(slice)) return 'Absent'
  return isSealed(slice) ? 'Sealed' : 'Edited'
}
