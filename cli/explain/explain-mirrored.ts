import type { Leftovers } from '../../shared/changes/index.ts'
import {
  ANNOTATION_LEADER_ELECTION,
  describeSlice,
  type EndpointSlice,
  type Endpoints,
  endpointDifferences,
  isLock,
  isMirrored,
  LABEL_SKIP_MIRROR,
  type Service,
  type SliceExplanation,
  type SlicePlan,
} from '../../shared/endpointslice/index.ts'
import { createAddressFilter, managersOf, planMirrors } from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { type ExplainSettings, guardedWrites, type Writes } from './explain-plan.ts'
import { managerOf } from './managers.ts'
import type { Management } from './report.ts'

export interface MirroredService {
  readonly service: Service
  readonly selection: Leftovers
  /** `undefined` for none. */
  readonly endpoints: Endpoints | undefined
  /** The slices of every manager. */
  readonly slices: readonly EndpointSlice[]
}

interface ExplainedMirrors extends Writes {
  readonly slices: readonly SliceExplanation[]
  /** Objects that had to be left out, and what an Event says of the others. */
  readonly problems: readonly string[]
}

/** Says whether Endpoints of the Service's name are mirrored, and why not, as a clause. */
export function mirroredManagement({
  endpoints,
  service,
}: Pick<MirroredService, 'endpoints' | 'service'>): Pick<Management, 'state' | 'reason'> {
  if (endpoints !== undefined && isMirrored(endpoints, service))
    return { state: 'Managed', reason: 'it has no selector, and its slices mirror the Endpoints of its name' }
  return { state: 'Unmanaged', reason: `it has no selector, and ${reasonAgainst(endpoints)}` }
}

function reasonAgainst(endpoints: Endpoints | undefined): string {
  if (endpoints === undefined) return 'there are no Endpoints of its name to mirror'
  return isLock(endpoints)
    ? `the Endpoints of its name stand for a lock (annotation ${ANNOTATION_LEADER_ELECTION}), which is not mirrored`
    : `the Endpoints of its name have the label ${LABEL_SKIP_MIRROR}: "true"`
}

/**
 * Plans by the same steps as a reconcile: refuse addresses, plan, guard.
 * @param now milliseconds since the epoch
 */
export function explainMirrors(
  { service, selection, endpoints, slices }: MirroredService,
  settings: ExplainSettings & Partial<Pick<Settings, 'mirrorEndpoints'>>,
  now: number,
): ExplainedMirrors {
  const managers = managersOf(settings)
  const read = slices.filter((slice) => managers.includes(managerOf(slice)))
  const addresses = createAddressFilter(settings.refusedAddresses)
  const mirrors = planMirrors({
    ...{ service, selection, endpoints, slices: read, settings, addresses },
    takenNames: new Set(slices.map(nameOf)),
  })
  const { planned, events } = mirrors
  return {
    ...guardedWrites({ service, slices: mirrors.slices, planned }, settings, now),
    slices: slices.map((slice) => ({
      ...describeSlice(slice),
      ...outcomeOf(slice, planned, managers.includes(managerOf(slice))),
    })),
    problems: [
      ...planned.skipped.map(({ kind, name, message }) => `${kind} ${name}: ${message}`),
      ...events.map(({ message }) => message),
    ],
  }
}

type Outcome = Pick<SliceExplanation, 'outcome' | 'reasons' | 'differences'>

function outcomeOf(slice: EndpointSlice, plan: SlicePlan, isOurs: boolean): Outcome {
  if (!isOurs) return { outcome: 'Foreign', reasons: [], differences: [] }
  const isThis = (other: EndpointSlice): boolean => nameOf(other) === nameOf(slice)
  if (plan.delete.some(isThis))
    return { outcome: 'Delete', reasons: ['it mirrors nothing of the Endpoints any more'], differences: [] }
  const update = plan.update.find(isThis)
  return update === undefined
    ? { outcome: 'AsPlanned', reasons: [], differences: [] }
    : { outcome: 'Update', reasons: [], differences: endpointDifferences([slice], [update]) }
}

const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''
