import type { ServiceEvent } from '../../service-events.ts'
import type { Guard } from '../guard.ts'
import { type Fight, namedObjects, otherSliceflow, SliceFightError } from './fights.ts'

/** Reports what `checkFights` and contests leave alone; the key fails with a {@link SliceFightError}. */
export const FIGHTS_GUARD: Guard<'SliceFight'> = {
  name: 'fights',
  events: { SliceFight: 'somebody undoes every repair of a slice; says who, as far as that is known' },
  metric: {
    name: 'sliceflow_slice_fights_total',
    type: 'counter',
    help: 'Times that slices were left alone because somebody undoes every repair',
    ofFailure: (error) => error instanceof SliceFightError,
  },
  alarm: {
    id: 'SliceFights',
    runbook: 'slice-fights',
    meaning: 'somebody undoes every repair of a slice of ours; it is left alone for now.',
    periods: 3,
    bad: 2,
    metric: 'SliceFights',
    help: 'Syncs that left slices alone since somebody undoes every repair.',
    line: 'fights',
  },
  problem: {
    kind: 'fight',
    text: 'somebody undoes every repair of its slices',
    status: 'that somebody edits after every repair (sliceflow explain shows who)',
    command: 'explain',
  },
}

export function fightEvent({ kind, opponent, slices }: Fight): ServiceEvent<'SliceFight'> {
  if (kind === 'writers') {
    const message = `${otherSliceflow(opponent)} keeps writing its EndpointSlices otherwise: they are written only at growing intervals; stop one of the two, or give both the same settings, cluster sets and ids`
    return { type: 'Warning', reason: 'SliceFight', message }
  }
  const message =
    kind === 'deletions'
      ? `${opponent ?? 'somebody'} keeps deleting its EndpointSlices, or their annotations: they are repaired only after 30 s; the audit log of the API server shows who`
      : `${opponent ?? 'a writer that managedFields do not name, such as a mutating webhook,'} keeps changing ${namedObjects('EndpointSlice', slices)}: it is repaired only at growing intervals; let one of the two manage it`
  return { type: 'Warning', reason: 'SliceFight', message }
}
