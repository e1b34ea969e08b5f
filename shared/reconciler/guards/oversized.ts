import { NO_CHANGES } from '../slice-changes.ts'
import type { Guard } from './guard.ts'

/**
 * Blocks the plan of a Service that would have too many endpoints: a selector that matches every Pod of a
 * large namespace would fill slices that each node and gateway reads.
 */
export const OVERSIZED_GUARD: Guard<'TooManyEndpoints'> = {
  name: 'oversized',
  events: {
    TooManyEndpoints: 'the Service would have more than `maximumEndpoints`; what is published stays',
  },
  check({ planned: { stats } }, { maximumEndpoints }) {
    const { endpointsDesired: endpoints } = stats
    if (maximumEndpoints === 0 || endpoints <= maximumEndpoints) return undefined
    const message = `it would have more than ${maximumEndpoints} endpoints (setting maximumEndpoints): nothing is written, and what is published stays, until it selects fewer`
    return {
      events: [{ type: 'Warning', reason: 'TooManyEndpoints', message }],
      instead: NO_CHANGES,
      log: { fields: { endpoints } },
    }
  },
  // The slices do not show it, as they may have stopped growing.
  needsAllEndpoints: ({ maximumEndpoints }, endpoints = Number.POSITIVE_INFINITY) =>
    maximumEndpoints > 0 && endpoints > maximumEndpoints,
  metric: {
    name: 'sliceflow_oversized_services',
    type: 'gauge',
    help: 'Services that are not written because they would have more endpoints than maximumEndpoints',
  },
  alarm: {
    id: 'OversizedServices',
    runbook: 'oversized-services',
    meaning: 'a Service would have more endpoints than maximumEndpoints; its slices stay as they are.',
    periods: 1,
    bad: 1,
    metric: 'OversizedServices',
    help: 'Syncs of keys of which nothing was written, as the Service would have more than `maximumEndpoints`.',
    line: 'Services too large',
  },
  problem: {
    kind: 'too large',
    text: 'nothing is written, as it would have too many endpoints',
    status: 'with too many endpoints to be written (sliceflow explain shows how many)',
    command: 'explain',
  },
}
