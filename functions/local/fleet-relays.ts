import type { ClusterSet } from '../../shared/fleet/index.ts'
import { type FleetRelay, type FleetRelayOptions, startFleetRelay } from '../relay/index.ts'

/** Follows cluster sets, each on its own. */
export function startFleetRelays(
  sets: readonly ClusterSet[],
  options: Omit<FleetRelayOptions, 'set'>,
): Pick<FleetRelay, 'synced' | 'stop'> {
  const relays = sets.map((set) => startFleetRelay({ ...options, set }))
  return {
    synced: Promise.all(relays.map(({ synced }) => synced)).then(() => undefined),
    async stop(signal) {
      const unsent = await Promise.all(relays.map((relay) => relay.stop(signal)))
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}
