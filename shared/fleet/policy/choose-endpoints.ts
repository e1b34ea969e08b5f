import { hash } from 'node:crypto'
import { type EndpointSlice, parseIp, type SourceEndpoint } from '../../endpointslice/index.ts'
import { sourceOf } from '../import-owner.ts'
import type { FleetPolicy } from './fleet-policy.ts'
import {
  type Offer,
  type Offered,
  type PortOffers,
  portKey,
  portNames,
  portOffers,
} from './offered-endpoints.ts'

/** State that a choice follows from, beside the policy. */
export interface ChoiceInput {
  /** Id of the importing cluster. */
  readonly home: string
  readonly offers: readonly Offer[]
  /** Ids of clusters that do not answer: nothing is chosen of them, and their slices stay. */
  readonly frozen: ReadonlySet<string>
  /** Imported slices of the cluster as they stand: they show whether it has failed over. */
  readonly published: readonly EndpointSlice[]
  /** Clusters of the import's selectors, the first choice first; absent: all clusters serve. */
  readonly selected?: readonly (readonly string[])[] | undefined
}

/** Endpoints that a cluster publishes for one port in one family. */
export interface PortChoice extends Pick<PortOffers, 'family' | 'port'> {
  /** Own endpoints of the importing cluster; absent where it does not prefer them. */
  readonly own?: OwnEndpoints
  /** Position of the selector whose clusters serve; absent where all do. */
  readonly selector?: number
  readonly clusters: ReadonlyMap<string, ClusterChoice>
  /** Whether clusters that do not answer serve, of which slices are published; none without selectors. */
  readonly frozen: ReadonlyMap<string, boolean>
}

interface OwnEndpoints {
  readonly ready: number
  /** All of them but those that are terminating and not ready. */
  readonly known: number
  /** True if the endpoints of other clusters are published as well. */
  readonly isFailedOver: boolean
  /** True if they were before this choice. */
  readonly wasFailedOver: boolean
}

interface ClusterChoice {
  /** Share in %. */
  readonly weight: number
  readonly offered: ReadonlyMap<string, Offered>
  /** Addresses that are published. */
  readonly taken: ReadonlySet<string>
  /** Whether they are behind the derived Service, or for consumers alone that choose clusters themselves. */
  readonly serves: boolean
}

export type Choices = ReadonlyMap<string, PortChoice>

/**
 * Chooses which endpoints a cluster publishes, apart for each family and port as kube-proxy balances them.
 * A port never lacks a ready endpoint while any cluster has one for it.
 */
export function chooseEndpoints(policy: FleetPolicy, input: ChoiceInput): Choices {
  const offered = portOffers(input.offers)
  const frozen = portOffers(input.selected === undefined ? [] : frozenOffers(input))
  const all = [...new Map([...frozen, ...offered])].map(([key, { family, port }]) => {
    const own = { family, port, clusters: offered.get(key)?.clusters ?? new Map() }
    return [key, choosePort(policy, own, frozen.get(key)?.clusters ?? new Map(), input)] as const
  })
  return new Map(all)
}

/**
 * Chooses for one port:
 * 1. The own cluster's endpoints alone, all of them, while enough of them are ready; unless its weight is 0.
 * 2. Otherwise of each cluster its share. The own one's is all of them where it is preferred.
 * 3. Clusters of weight 0 give all of theirs where no other has a ready endpoint.
 * 4. The clusters of the first selector serve that have an endpoint which is ready or serving; without one,
 *    all do. Those that do not answer count by what is published of them. Selectors take the place of the
 *    preference of 1.
 */
function choosePort(
  given: FleetPolicy,
  offers: PortOffers,
  frozen: PortOffers['clusters'],
  input: ChoiceInput,
): PortChoice {
  const { family, port } = offers
  const { home, selected } = input
  const policy = selected === undefined ? given : { weights: given.weights }
  // 1.
  const own = ownEndpoints(policy, offers, input)
  const weightOf = (cluster: string): number =>
    own !== undefined && cluster === home ? 100 : (policy.weights.get(cluster) ?? 100)
  // 3.
  const isLastResort = ![...offers.clusters].some(
    ([cluster, offered]) => weightOf(cluster) > 0 && readyOf(offered) > 0,
  )
  // 2.
  const isAlone = own !== undefined && !own.isFailedOver
  const clusters = [...offers.clusters].map(([cluster, offered]) => {
    const weight = weightOf(cluster) || (isLastResort ? 100 : 0)
    const taken = takeShare(offered, isAlone && cluster !== home ? 0 : weight, home)
    return [cluster, { weight, offered, taken }] as const
  })
  // 4.
  const able = new Set([
    ...clusters.filter(([, choice]) => servesAny(choice)).map(([cluster]) => cluster),
    ...[...frozen].flatMap(([cluster, offered]) => ([...offered.values()].some(canServe) ? [cluster] : [])),
  ])
  const selector = selected?.findIndex((ids) => ids.some((id) => able.has(id))) ?? -1
  const serving = selected?.[selector]
  const serves = (cluster: string): boolean => serving?.includes(cluster) ?? true
  const all = clusters.map(([cluster, choice]) => [cluster, { ...choice, serves: serves(cluster) }] as const)
  return {
    ...{ family, port, own },
    selector: selector < 0 ? undefined : selector,
    clusters: new Map(all),
    frozen: new Map([...frozen.keys()].map((cluster) => [cluster, serves(cluster)])),
  }
}

const canServe = ({ ready, serving }: Offered): boolean => ready || serving

const servesAny = ({ offered, taken }: Pick<ClusterChoice, 'offered' | 'taken'>): boolean =>
  [...offered].some(([address, one]) => taken.has(address) && canServe(one))

/** Returns what is published of the clusters whose slices stay, as their offers. */
const frozenOffers = ({ frozen, published }: ChoiceInput): Offer[] =>
  published.flatMap((slice) => {
    const { ports, endpoints } = slice
    const cluster = sourceOf(slice)
    if (!frozen.has(cluster)) return []
    const own = (endpoints ?? []).map(({ addresses, conditions = {} }) => ({
      ...{ addresses, ports: ports ?? [], ready: conditions.ready ?? true },
      ...{ serving: conditions.serving, terminating: conditions.terminating ?? false },
    }))
    return [{ cluster, endpoints: own }]
  })

/**
 * Decides whether the own endpoints suffice. Between the two thresholds it stays as it is, by the slices that
 * are published; so it does while the state of the own endpoints is unknown.
 */
function ownEndpoints(
  { own, weights }: FleetPolicy,
  { family, port, clusters }: PortOffers,
  { home, frozen, published }: ChoiceInput,
): OwnEndpoints | undefined {
  if (own === undefined || weights.get(home) === 0) return undefined
  const offered = [...(clusters.get(home)?.values() ?? [])]
  const ready = offered.filter((one) => one.ready).length
  const known = offered.filter((one) => one.ready || !one.terminating).length
  const wasFailedOver = published.some(
    (slice) =>
      slice.addressType === family &&
      (slice.endpoints?.length ?? 0) > 0 &&
      portNames({ ports: slice.ports ?? [] }).includes(port) &&
      // Slices that stay whatever is chosen do not show what was chosen before.
      !['', home].includes(sourceOf(slice)) &&
      !frozen.has(sourceOf(slice)),
  )
  const least = wasFailedOver ? own.returnAt : own.failoverBelow
  const isFailedOver = frozen.has(home) ? wasFailedOver : ready === 0 || ready * 100 < known * least
  return { ready, known, isFailedOver, wasFailedOver }
}

const readyOf = (offered: ReadonlyMap<string, Offered>): number =>
  [...offered.values()].filter(({ ready }) => ready).length

/** Returns an endpoint with the ports for which it was chosen, in a list; empty if there are none. */
export function chosenEndpoint(
  choices: Choices,
  cluster: string,
  endpoint: SourceEndpoint,
): SourceEndpoint[] {
  const { addresses, ports = [] } = endpoint
  const ip = parseIp(addresses[0] ?? '')
  // The planner reports what is wrong with it.
  if (ip === undefined) return [endpoint]
  const isTaken = (name = ''): boolean =>
    choices.get(portKey(ip.type, name))?.clusters.get(cluster)?.taken.has(ip.text) === true
  if (ports.length === 0) return isTaken() ? [endpoint] : []
  const chosen = ports.filter(({ name }) => isTaken(name))
  if (chosen.length === ports.length) return [endpoint]
  return chosen.length === 0 ? [] : [{ ...endpoint, ports: chosen }]
}

/**
 * Lists the ports of an endpoint on which its cluster serves the derived Service, by name; one without a name
 * stands for an endpoint without ports.
 */
export function servedPorts(choices: Choices, cluster: string, endpoint: SourceEndpoint): readonly string[] {
  const ip = parseIp(endpoint.addresses[0] ?? '')
  if (ip === undefined) return portNames(endpoint)
  return portNames(endpoint).filter(
    (port) => choices.get(portKey(ip.type, port))?.clusters.get(cluster)?.serves !== false,
  )
}

/** Reports whether a slice of a cluster that does not answer serves: on one of its ports at least. */
export const frozenServes = (choices: Choices | undefined, slice: EndpointSlice): boolean =>
  portNames({ ports: slice.ports ?? [] }).some(
    (port) => choices?.get(portKey(slice.addressType, port))?.frozen.get(sourceOf(slice)) !== false,
  )

interface LeftOutByChoice {
  /** Each written `family/address`. */
  readonly addresses: ReadonlySet<string>
  /** Ids of the clusters that they are in. */
  readonly clusters: ReadonlySet<string>
}

/** Collects the ready endpoints that are left out, and where they are. */
export function leftOutByChoice(choices: Choices): LeftOutByChoice {
  const addresses = new Set<string>()
  const clusters = new Set<string>()
  for (const { family, clusters: all } of choices.values()) {
    for (const [cluster, { offered, taken }] of all) {
      for (const [address, { ready }] of offered) {
        if (!ready || taken.has(address)) continue
        addresses.add(`${family}/${address}`)
        clusters.add(cluster)
      }
    }
  }
  return { addresses, clusters }
}

/**
 * Takes a share of a cluster's endpoints for one port, by rendezvous hashing:
 * 1. Rank all addresses by a digest that no other endpoint has a part in. Each importing cluster has an order
 *    of its own, so that all of the endpoints have work where several clusters take a share.
 * 2. Count the ready ones, the serving ones where none is ready, all where none serves; round the share up.
 * 3. Take from the first in the order to the last one counted. Those between them that are not ready come
 *    along: they get no connections, and lose none that they have.
 * An endpoint that comes, goes or changes moves one other ready one at most, and a larger share only adds.
 * @param share in %
 * @param home the importing cluster
 */
export function takeShare(
  offered: ReadonlyMap<string, Offered>,
  share: number,
  home: string,
): ReadonlySet<string> {
  if (share >= 100) return new Set(offered.keys())
  if (share === 0) return new Set()
  // 1.
  const ranked = [...offered]
    .map(([address, state]) => ({ address, state, rank: hash('sha256', `${home} ${address}`) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  // 2.
  const tiers = [ranked.filter(({ state }) => state.ready), ranked.filter(({ state }) => state.serving)]
  const counted = tiers.find(({ length }) => length > 0) ?? ranked
  const last = counted[Math.ceil((counted.length * share) / 100) - 1]
  // 3.
  return new Set(ranked.filter(({ rank }) => last && rank <= last.rank).map(({ address }) => address))
}
