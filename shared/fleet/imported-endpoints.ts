import type {
  AddressType,
  Endpoint,
  EndpointPort,
  EndpointSlice,
  EndpointSource,
  Service,
  SourceEndpoint,
} from '../endpointslice/index.ts'
import { labelName, labelValue } from '../kubernetes/index.ts'
import type { ImportPort } from './resources.ts'

/** Part of one cluster in an import. */
export interface ImportSource {
  /** The cluster's id in the set. */
  readonly cluster: string
  /** The exported Service. */
  readonly service: Service
  /** Its slices, whoever manages them. */
  readonly slices: readonly EndpointSlice[]
}

export interface ImportedEndpointsOptions {
  /** The ports of the import: whatever a cluster has under another number or protocol leads nowhere. */
  readonly ports: readonly ImportPort[]
  /** Whether the slices are for the cluster that the endpoints are in: only there a node or Pod is known. */
  readonly isHome: boolean
}

/** Families that are imported. */
export const FAMILIES: readonly AddressType[] = ['IPv4', 'IPv6']
const MAXIMUM_PORT = 65_535

/**
 * Makes endpoints of the slices of an exported Service. Nothing that another cluster says is trusted: what is
 * not of the API's form is left out, so that it cannot make a whole slice be refused.
 */
export function importedEndpoints(
  { service, slices }: Omit<ImportSource, 'cluster'>,
  { ports, isHome }: ImportedEndpointsOptions,
): EndpointSource {
  const exported = exportedPorts(service, ports)
  const ofFamilies = slices.filter(({ addressType }) => FAMILIES.some((family) => family === addressType))
  return {
    addressTypes: FAMILIES.filter((family) => slices.some(({ addressType }) => addressType === family)),
    *endpoints() {
      for (const slice of ofFamilies) {
        const published = listOf<EndpointPort>(slice.ports).flatMap((port) => importedPort(port, exported))
        // A slice without ports would be one of a Service without any.
        if (published.length === 0 && ports.length > 0) continue
        for (const endpoint of listOf<Endpoint>(slice.endpoints)) {
          const imported = importedEndpoint(endpoint, isHome)
          if (imported !== undefined) yield { ...imported, ports: published }
        }
      }
    },
  }
}

/**
 * Returns the ports of the import that the cluster's Service has with the same number and protocol, by name.
 */
export function exportedPorts(
  { spec }: Service,
  wanted: readonly ImportPort[],
): ReadonlyMap<string, ImportPort> {
  const own = new Map(listOf<ImportPort>(spec?.ports).map((port) => [port.name ?? '', port]))
  const same = wanted.filter(({ name = '', port, protocol = 'TCP' }) => {
    const found = own.get(name)
    return found?.port === port && (found.protocol ?? 'TCP') === protocol
  })
  return new Map(same.map((port) => [port.name ?? '', port]))
}

/** Returns a port as it is imported, in a list; an empty one where the import does not have the port. */
export function importedPort(
  { name = '', port, protocol = 'TCP' }: EndpointPort,
  exported: ReadonlyMap<string, ImportPort>,
): EndpointPort[] {
  const wanted = exported.get(name)
  if (wanted === undefined || (wanted.protocol ?? 'TCP') !== protocol) return []
  if (!Number.isInteger(port) || port === undefined || port < 1 || port > MAXIMUM_PORT) return []
  const { appProtocol } = wanted
  return [{ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }]
}

function importedEndpoint(endpoint: Endpoint, isHome: boolean): SourceEndpoint | undefined {
  const { addresses, conditions, hostname, zone, nodeName, targetRef } = endpoint
  const [address] = listOf<string>(addresses)
  if (typeof address !== 'string') return undefined
  const { ready, serving, terminating } = conditions ?? {}
  const isReady = ready !== false
  const { kind, namespace, name, uid } = targetRef ?? {}
  return {
    addresses: [address],
    ready: isReady,
    serving: serving ?? isReady,
    terminating: terminating === true,
    ...(typeof hostname === 'string' && labelName(hostname).length === 0 && { hostname }),
    ...(typeof zone === 'string' && zone !== '' && labelValue(zone).length === 0 && { zone }),
    ...(isHome && typeof nodeName === 'string' && { nodeName }),
    ...(isHome &&
      kind !== undefined &&
      name !== undefined && {
        targetRef: { kind, name, ...(namespace && { namespace }), ...(uid && { uid }) },
      }),
  }
}

const listOf = <T>(value: readonly T[] | undefined): readonly T[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string' || isObject(item)) : []

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
