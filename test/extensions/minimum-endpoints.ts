import type { Guard } from '../../shared/reconciler/index.ts'

/** Annotation of a Service: with fewer endpoints nothing is written. */
export const ANNOTATION_MINIMUM = 'example.dev/minimum-endpoints'

/** A guard as somebody would add it: all that is known of it stands here. */
export const MINIMUM_GUARD: Guard<'TooFewEndpoints'> = {
  name: 'minimum',
  events: { TooFewEndpoints: 'the Service would have fewer endpoints than its annotation demands' },
  check({ service, planned: { stats } }) {
    const minimum = Number(service.metadata?.annotations?.[ANNOTATION_MINIMUM] ?? 0)
    if (stats.endpointsDesired >= minimum) return undefined
    const message = `the Service would have fewer than ${minimum} endpoints: nothing is written`
    return {
      events: [{ type: 'Warning', reason: 'TooFewEndpoints', message }],
      instead: { create: [], update: [], delete: [] },
      log: { fields: { endpoints: stats.endpointsDesired } },
    }
  },
  metric: {
    name: 'sliceflow_too_few_endpoints',
    type: 'gauge',
    help: 'Services that are not written because they would have too few endpoints',
  },
  alarm: {
    id: 'TooFewEndpoints',
    runbook: 'too-few-endpoints',
    meaning: 'a Service would have too few endpoints.',
    periods: 3,
    bad: 2,
    metric: 'TooFewEndpoints',
    help: 'Syncs of keys of which nothing was written, as the Service would have too few endpoints.',
    line: 'Services too small',
  },
  problem: {
    kind: 'too small',
    text: 'nothing is written, as it would have too few endpoints',
    status: 'with too few endpoints to be written',
    command: 'explain',
  },
}
