import { type AddressType, parseIp, type SourceEndpoint } from '../../endpointslice/index.ts'

/** Conditions of an endpoint, over all slices that have it. */
export interface Offered {
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
}

/** Endpoints that one cluster offers, those left out that may be published nowhere. */
export interface Offer {
  /** The cluster's id in the set. */
  readonly cluster: string
  readonly endpoints: readonly SourceEndpoint[]
}

/** Everything that kube-proxy chooses from for one port of a Service in one family. */
export interface PortOffers {
  readonly family: AddressType
  /** Name of the port; empty where it has none. */
  readonly port: string
  /** Conditions by address, by cluster. */
  readonly clusters: ReadonlyMap<string, ReadonlyMap<string, Offered>>
}

export const portKey = (family: string, port: string): string => `${family} ${port}`

/** Lists the names of an endpoint's ports; a Service without ports has one without a name. */
export const portNames = ({ ports = [] }: Pick<SourceEndpoint, 'ports'>): readonly string[] =>
  ports.length === 0 ? [''] : ports.map(({ name = '' }) => name)

/** Sorts what clusters offer by families and ports, by {@link portKey}. */
export function portOffers(offers: readonly Offer[]): ReadonlyMap<string, PortOffers> {
  const byPort = new Map<string, PortOffers & { clusters: Map<string, Map<string, Offered>> }>()
  for (const { cluster, endpoints } of offers) {
    for (const endpoint of endpoints) {
      const ip = parseIp(endpoint.addresses[0] ?? '')
      if (ip === undefined) continue
      for (const port of portNames(endpoint)) {
        const found = entry(byPort, portKey(ip.type, port), () => ({
          family: ip.type,
          port,
          clusters: new Map(),
        }))
        const addresses = entry(found.clusters, cluster, () => new Map())
        addresses.set(ip.text, merged(addresses.get(ip.text), endpoint))
      }
    }
  }
  return byPort
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create()
  map.set(key, value)
  return value
}

const merged = (
  known: Offered | undefined,
  { ready = true, serving = ready, terminating = false }: SourceEndpoint,
): Offered => ({
  ready: ready || known?.ready === true,
  serving: serving || known?.serving === true,
  terminating: terminating && known?.terminating !== false,
})
