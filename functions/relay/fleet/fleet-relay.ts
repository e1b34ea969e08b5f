import { setMaxListeners } from 'node:events'
import type { Change } from '../../../shared/changes/index.ts'
import {
  type ClusterSet,
  type ClusterSetMember,
  fleetKey,
  membersDigest,
} from '../../../shared/cluster-sets/index.ts'
import { createFleetIndex } from '../../../shared/fleet/index.ts'
import { type ApiClient, untilAborted } from '../../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../../shared/queue/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { type ClusterReading, withFields } from '../../../shared/telemetry/index.ts'
import { healthOf, type RelayHealth } from '../health/health.ts'
import { type RelayObserver, type Telemetry, withMetrics } from '../relay-options.ts'
import { createFleetLanes, type FleetLanesOptions } from './fleet-lanes.ts'
import { createFleetSweeps } from './fleet-sweeps.ts'
import { warnOfLeftNamespaces } from './left-namespaces.ts'
import { type MemberRelay, startMemberRelay } from './member-relay.ts'

export interface FleetRelayOptions {
  readonly set: ClusterSet
  /** Clients of every member of the set; others are passed over. */
  readonly clients: readonly ApiClient[]
  readonly settings: FleetLanesOptions['settings'] & Pick<Settings, 'sweepInterval'>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  readonly telemetry: Telemetry
  /** Called with the cluster of each member that was listed, and with the keys sent. */
  readonly observer?: Pick<RelayObserver, 'onSynced' | 'onSent'>
  readonly times?: Partial<FleetRelayTimes>
}

/** In milliseconds. */
interface FleetRelayTimes {
  /** Between two checks whether a member serves ServiceExports and ServiceImports. Default 30,000. */
  readonly discoveryMs: number
  /** Longest wait of the first keys for members that neither answer nor fail. Default 10,000. */
  readonly maxWaitMs: number
}

export interface FleetRelay {
  /** Resolves when every member was listed and the keys are on their way; not while one is out of reach. */
  readonly synced: Promise<void>
  health(): RelayHealth
  /** Returns the readings of the set and of its members for the metrics. */
  readings(): readonly ClusterReading[]
  /** Ends the watches and sends what waits. Resolves to the number of unsent keys, for the next start. */
  stop(signal: AbortSignal): Promise<number>
}

const DEFAULT_TIMES: FleetRelayTimes = { discoveryMs: 30_000, maxWaitMs: 10_000 }

/**
 * Watches the clusters of a set and sends the keys of its Services: at the start all of them into the sweep
 * lane, once each member was listed or cannot be for now; then each change into the live lane. What was
 * missed comes by the sweep lane: all keys once a member is listed later, after a long outage of one, and
 * every `sweepInterval`. A message names the versions of all that is behind its key, unless a member was
 * never listed or cannot be watched now.
 */
export function startFleetRelay(options: FleetRelayOptions): FleetRelay {
  const { set, settings, senders, observer = {} } = options
  const { discoveryMs, maxWaitMs } = { ...DEFAULT_TIMES, ...options.times }
  const { cluster } = fleetKey(set.name, '', '')
  const logger = withFields(options.telemetry.logger, { clusterSet: set.name })
  const telemetry = withMetrics({ ...options.telemetry, logger })
  const { metrics } = telemetry
  const ending = new AbortController()
  const { signal } = ending
  setMaxListeners(0, signal)
  const index = createFleetIndex({ ...set, members: set.members.filter(isUsable) })
  const lanes = createFleetLanes({
    ...{ cluster, settings, senders, telemetry, observer },
    versions: {
      history: index.history,
      // Functions must find out that a member cannot be read, even if they have cached it.
      of: (key) => (members.some(({ relay }) => relay.isFailing()) ? undefined : index.versions(key)),
    },
    membersDigest: membersDigest(set),
  })
  const sweeps = createFleetSweeps({ cluster, index, lanes, metrics, logger, settings })
  const members = startMembers()
  const refused = set.members.filter((member) => !isUsable(member)).map(refusedReading)
  const synced = new Map(members.map(({ client }) => [client, Promise.withResolvers<void>()]))
  let hasBegun = false
  const waiting = setTimeout(begin, maxWaitMs)

  function startMembers(): { readonly client: ApiClient; readonly relay: MemberRelay }[] {
    return membersOf(options).map(({ member, client }) => {
      const own = index.members.get(member.cluster)
      if (own === undefined) throw new Error(`${member.cluster} is not a member of the index`)
      const relay = startMemberRelay({
        ...{ set, member, client, index: own, telemetry, discoveryMs, signal },
        events: {
          changed: (changes) => emit(relay, member, changes),
          synced: () => (hasBegun ? follow([client]) : beginOnceKnown()),
          failed: beginOnceKnown,
          outageBegan: (cause) => relay.hasSynced() && sweeps.onProlongedOutage(member.cluster, cause),
          outageOver: () => relay.hasSynced() && sweeps.outageOver(member.cluster),
        },
      })
      return { client, relay }
    })
  }

  /**
   * Puts the changes of a member into the live lane. Until a member is listed its changes may be missed or
   * mistaken; the keys sent after that make up for it.
   */
  function emit(relay: MemberRelay, { cluster: from }: ClusterSetMember, changes: readonly Change[]): void {
    if (!hasBegun || !relay.hasSynced() || changes.length === 0) return
    sweeps.changed(changes)
    lanes.live.add(changes.map((change) => ({ ...change, from })))
  }

  /** Begins once every member is listed or fails: keys are sent once, and with versions if none is late. */
  function beginOnceKnown(): void {
    if (!hasBegun && members.every(({ relay }) => relay.hasSynced() || relay.isFailing())) begin()
  }

  function begin(): void {
    clearTimeout(waiting)
    hasBegun = true
    sweeps.start()
    follow(members.filter(({ relay }) => relay.hasSynced()).map(({ client }) => client))
  }

  function follow(clients: readonly ApiClient[]): void {
    sweeps.synced(clients.map((client) => client.cluster))
    for (const client of clients) {
      synced.get(client)?.resolve()
      observer.onSynced?.(client.cluster)
      void warnOfLeftNamespaces({ client, set, logger, signal })
    }
  }

  function readings(): ClusterReading[] {
    const isSynced = members.every(({ relay }) => relay.hasSynced())
    const own = { cluster, synced: isSynced, watches: [], lanes: lanes.readings() }
    return [own, ...refused, ...members.map(({ relay }) => relay.reading())]
  }

  return {
    synced: Promise.all([...synced.values()].map(({ promise }) => promise)).then(() => undefined),
    readings,
    health: () => healthOf(members.map(({ relay }) => relay.health())),
    async stop(patienceSignal) {
      clearTimeout(waiting)
      sweeps.stop()
      ending.abort()
      // A call that does not follow its abort must not hold up the end.
      const ended = Promise.all(members.map(({ relay }) => relay.ended))
      await Promise.race([ended, untilAborted(patienceSignal)])
      return lanes.drain(patienceSignal)
    },
  }
}

const isUsable = ({ problem }: ClusterSetMember): boolean => problem === undefined

/** Reports a cluster that is excluded from its set as failing, so that the cluster alarm rings. */
const refusedReading = ({ cluster }: ClusterSetMember): ClusterReading => ({
  cluster,
  watches: [{ kind: 'serviceexports', failing: true, objects: 0 }],
  lanes: [],
})

interface Member {
  readonly member: ClusterSetMember
  readonly client: ApiClient
}

/** Finds the client of each member, before any of them is watched. */
function membersOf({ set, clients }: FleetRelayOptions): Member[] {
  return set.members.filter(isUsable).map((member) => {
    const client = clients.find(({ cluster }) => cluster === member.cluster)
    if (client === undefined)
      throw new Error(`cluster set ${set.name}: there is no client of its cluster ${member.cluster}`)
    return { member, client }
  })
}
