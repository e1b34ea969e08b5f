import { type ClusterSet, fleetKey } from '../../../shared/cluster-sets/index.ts'
import type { ApiClient } from '../../../shared/kubernetes/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { worstOf } from '../health/health.ts'
import { isAssigned, parseShard } from '../shard.ts'
import { type FleetRelay, type FleetRelayOptions, startFleetRelay } from './fleet-relay.ts'

export interface FleetRelaysOptions extends Omit<FleetRelayOptions, 'set'> {
  readonly sets: readonly ClusterSet[]
  readonly settings: FleetRelayOptions['settings'] & Pick<Settings, 'shard'>
}

/** The relays of several cluster sets, each on its own. */
export interface FleetRelays extends Omit<FleetRelay, 'readings'> {
  /**
   * Follows these sets from now on. A set that has other clusters than before, or another client of one, is
   * listed again, and all of its keys are sent; all others go on. Resolves when what waits was sent, or
   * `signal` aborted.
   * @param clients of all clusters
   */
  follow(sets: readonly ClusterSet[], clients: readonly ApiClient[], signal: AbortSignal): Promise<void>
}

interface Followed {
  readonly relay: FleetRelay
  /** Text of the set that it was started with. */
  readonly set: string
  readonly clients: readonly ApiClient[]
}

/** Follows the sets of its shard; a problem of a member is logged whenever a set is followed. */
export function startFleetRelays({ sets: first, ...options }: FleetRelaysOptions): FleetRelays {
  const { settings, telemetry } = options
  const { metrics, logger } = telemetry
  const shard = parseShard(settings.shard)
  const followed = new Map<string, Followed>()

  function start(set: ClusterSet, all: readonly ApiClient[]): void {
    for (const { cluster, problem } of set.members)
      if (problem !== undefined)
        logger.error({ clusterSet: set.name, cluster, problem }, 'a cluster is excluded from its set')
    const clients = clientsOf(set, all)
    const relay = startFleetRelay({ ...options, set, clients })
    followed.set(set.name, { relay, set: JSON.stringify(set), clients })
  }

  async function end(name: string, signal: AbortSignal): Promise<number> {
    const relay = followed.get(name)?.relay
    followed.delete(name)
    return (await relay?.stop(signal)) ?? 0
  }

  const own = (sets: readonly ClusterSet[]): readonly ClusterSet[] =>
    sets.filter(({ name }) => isAssigned(fleetKey(name, '', '').cluster, shard))
  const relays = (): FleetRelay[] => [...followed.values()].map(({ relay }) => relay)

  for (const set of own(first)) start(set, options.clients)
  metrics?.readFrom(() => relays().flatMap((relay) => relay.readings()))
  return {
    synced: Promise.all(relays().map(({ synced }) => synced)).then(() => undefined),
    health: () => worstOf(relays().map((relay) => relay.health())),
    async follow(sets, clients, signal) {
      const wanted = new Map(own(sets).map((set) => [set.name, set]))
      const changed = [...followed].filter(([name, before]) => {
        const set = wanted.get(name)
        return set === undefined || !isSame(before, set, clientsOf(set, clients))
      })
      await Promise.all(changed.map(([name]) => end(name, signal)))
      for (const set of wanted.values()) if (!followed.has(set.name)) start(set, clients)
    },
    async stop(signal) {
      const unsent = await Promise.all([...followed.keys()].map((name) => end(name, signal)))
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}

const clientsOf = ({ members }: ClusterSet, clients: readonly ApiClient[]): readonly ApiClient[] =>
  clients.filter(({ cluster }) => members.some((member) => member.cluster === cluster))

const isSame = (before: Followed, set: ClusterSet, clients: readonly ApiClient[]): boolean =>
  before.set === JSON.stringify(set) &&
  before.clients.length === clients.length &&
  before.clients.every((client) => clients.includes(client))
