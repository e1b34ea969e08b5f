import { portSetKey } from '../endpoints/ports.ts'
import type { EndpointPort, Endpoints } from '../types.ts'

type Subset = NonNullable<Endpoints['subsets']>[number]
export type EndpointAddress = NonNullable<Subset['addresses']>[number]

/** Addresses that have the same ports, by their text. */
interface RepackedSubset {
  /** Ports in the order of their keys. */
  readonly ports: readonly EndpointPort[]
  readonly ready: readonly EndpointAddress[]
  readonly notReady: readonly EndpointAddress[]
}

interface KnownAddress {
  readonly address: EndpointAddress
  readonly key: string
}

/** Addresses by key, each with whether it is ready for one port. */
type Readiness = Map<string, boolean>

interface PortAddresses {
  readonly port: EndpointPort | undefined
  readonly readiness: Readiness
}

/**
 * Brings subsets into their canonical form: every port with all addresses that have it, and ports with the
 * same addresses in one subset (RepackSubsets of k8s.io/kubernetes pkg/api/v1/endpoints). An address that is
 * ready in one subset and not in another is not, for the ports that they share.
 */
export function repackSubsets(subsets: Endpoints['subsets'] | null): RepackedSubset[] {
  const addresses = new Map<string, KnownAddress>()
  const byPort = new Map<string, PortAddresses>()
  for (const subset of listOf(subsets)) addSubset(subset, addresses, byPort)
  const groups = Map.groupBy(byPort.entries(), ([, { readiness }]) =>
    JSON.stringify([...readiness].sort(([a], [b]) => order(a, b))),
  )
  return [...groups.values()]
    .map((group) =>
      repacked(
        group.sort(([a], [b]) => order(a, b)).map(([, port]) => port),
        addresses,
      ),
    )
    .sort((a, b) => order(portSetKey(a.ports), portSetKey(b.ports)))
}

/** Stands for the port of addresses that have none. */
const NO_PORT = ''

function addSubset(
  { addresses, notReadyAddresses, ports }: Subset,
  known: Map<string, KnownAddress>,
  byPort: Map<string, PortAddresses>,
): void {
  const own = listOf(ports).map(endpointPort)
  for (const port of own.length === 0 ? [undefined] : own) {
    const key = port === undefined ? NO_PORT : portSetKey([port])
    const { readiness } = byPort.get(key) ?? { readiness: new Map<string, boolean>() }
    byPort.set(key, { port, readiness })
    for (const address of listOf(addresses)) add(address, true, readiness)
    for (const address of listOf(notReadyAddresses)) add(address, false, readiness)
  }

  function add(address: EndpointAddress, isReady: boolean, readiness: Readiness): void {
    const key = addressKey(address)
    if (!known.has(key)) known.set(key, { address, key })
    readiness.set(key, isReady && readiness.get(key) !== false)
  }
}

function repacked(
  ports: readonly PortAddresses[],
  addresses: ReadonlyMap<string, KnownAddress>,
): RepackedSubset {
  const [{ readiness } = { readiness: new Map<string, boolean>() }] = ports
  const inOrder = [...readiness].sort(([a], [b]) => order(a, b))
  const those = (wanted: boolean): EndpointAddress[] =>
    inOrder.flatMap(([key, isReady]) => {
      const found = isReady === wanted ? addresses.get(key) : undefined
      return found === undefined ? [] : [found.address]
    })
  return { ports: ports.flatMap(({ port }) => port ?? []), ready: those(true), notReady: those(false) }
}

/** Makes the key of an address, of its text and the uid of its target; keys are in upstream's order. */
const addressKey = ({ ip, targetRef }: EndpointAddress): string => `${ip}\u0000${targetRef?.uid ?? ''}`

const endpointPort = ({ name, port, protocol, appProtocol }: EndpointPort): EndpointPort => ({
  name: name ?? '',
  ...(port !== undefined && { port }),
  protocol: protocol ?? 'TCP',
  ...(appProtocol !== undefined && appProtocol !== null && { appProtocol }),
})

const order = (a: string, b: string): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const listOf = <T extends object>(list: readonly T[] | null | undefined): readonly T[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []
