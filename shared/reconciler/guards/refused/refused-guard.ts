import type { ServiceEvent } from '../../service-events.ts'
import type { Guard, GuardInput } from '../guard.ts'

/** Reports the addresses that a plan leaves out: the filter took them out before it was made. */
export const REFUSED_GUARD: Guard<'RefusedAddress'> = {
  name: 'refused',
  events: {
    RefusedAddress:
      'addresses are left out: they are in `refusedAddresses`, or in no range of `allowedNetworks`',
  },
  check({ planned }) {
    const refused = planned.skipped.filter(({ reason }) => reason === 'RefusedAddress')
    return refused.length === 0 ? undefined : { count: refused.length, events: [refusedEvent(refused)] }
  },
  metric: {
    name: 'sliceflow_refused_addresses',
    type: 'gauge',
    help: 'Addresses that are left out because they are in a refused range',
  },
}

/** Names the first by name, so that the same addresses are one Event. */
function refusedEvent(refused: GuardInput['planned']['skipped']): ServiceEvent<'RefusedAddress'> {
  const [first] = refused
    .map(({ kind, namespace, name, message }) => `${kind} ${namespace}/${name}: ${message}`)
    .sort()
  const message = `addresses are left out of the slices, among them that of ${first}; see the settings refusedAddresses and allowedNetworks`
  return { type: 'Warning', reason: 'RefusedAddress', message }
}
