import { ANNOTATION_SEAL, isSealed } from '../../shared/changes/index.ts'
import { describeSlice, type EndpointSlice, type SliceExplanation } from '../../shared/endpointslice/index.ts'
import { managerOf } from './managers.ts'
import type { SliceReport } from './report.ts'

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
  const judged = goes
    ? ({ outcome: 'Delete', reasons: ['its Service is gone, or not managed any more'] } as const)
    : ({ outcome: 'AsPlanned', reasons: ['it stays as it is'] } as const)
  return reportSlice({ ...described, ...judged }, slice, managedBy)
}

function sealOf(slice: EndpointSlice): SliceReport['seal'] {
  if (slice.metadata?.annotations?.[ANNOTATION_SEAL] === undefined) return 'Absent'
  return isSealed(slice) ? 'Sealed' : 'Edited'
}
