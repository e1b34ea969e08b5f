import type { ServiceEvent } from '../service-events.ts'
import type { Guard } from './guard.ts'
import {
  IN_TREE_MANAGERS,
  type SecondController,
  secondControllerAmong,
  writersOf,
} from './second-controller.ts'

/** Message of the log on a {@link SecondController}. The runbook's query searches for it. */
const SECOND_CONTROLLER = 'another controller writes slices that Sliceflow manages'

/** Reports another controller; it blocks no write. */
export const SECOND_CONTROLLER_GUARD: Guard<'SecondController'> = {
  name: 'secondController',
  events: {
    SecondController:
      'another controller writes slices with our managed-by value, too; says who, and how to turn it off',
  },
  check({ slices, planned, isPart, now, startedAt: since }) {
    if (isPart) return undefined
    const second = secondControllerAmong(slices.map((slice) => writersOf(slice, { now, since, planned })))
    if (second === undefined) return undefined
    const { manager, slice, writtenAt } = second
    const secondsAgo = Math.max(0, Math.round((now - writtenAt) / 1000))
    const message = `${SECOND_CONTROLLER}: ${secondControllerAdvice(second)}`
    return {
      events: [secondControllerEvent(second)],
      log: { fields: { manager, slice, secondsAgo }, message, oncePer: manager },
      secondController: second,
    }
  },
  metric: {
    name: 'sliceflow_second_controller_syncs_total',
    type: 'counter',
    help: 'Syncs of Services whose slices another controller writes, too',
    byCluster: true,
  },
  alarm: {
    id: 'SecondController',
    runbook: 'second-controller',
    meaning: 'another controller writes slices that Sliceflow manages; the log names it.',
    periods: 1,
    bad: 1,
    metric: 'SecondControllerSyncs',
    help: 'Syncs of keys whose slices another controller writes, too.',
    line: 'second controllers',
  },
}

function secondControllerEvent(second: SecondController): ServiceEvent<'SecondController'> {
  const message = `${second.manager} writes its EndpointSlices, too: ${secondControllerAdvice(second)}`
  return { type: 'Warning', reason: 'SecondController', message }
}

/** Says how only one controller goes on writing the slices, as a clause. */
export function secondControllerAdvice({
  manager,
  isMirror,
}: Pick<SecondController, 'manager' | 'isMirror'>): string {
  const controller = isMirror ? 'endpointslice-mirroring-controller' : 'endpointslice-controller'
  const flags = IN_TREE_MANAGERS.get(manager)?.(controller)
  return flags
    ? `turn its ${controller} off (${flags}), or give Sliceflow another --managed-by value`
    : 'stop it, or give Sliceflow another --managed-by value'
}
