import type {
  AddressType,
  Endpoint,
  EndpointPort,
  EndpointSlice,
  EndpointSource,
  Service,
  SkippedObject,
  SourceEndpoint,
} from '../../endpointslice/index.ts'
import { labelName, labelValue, subdomainName } from '../../kubernetes/index.ts'
import { isRecord } from '../../values/index.ts'
import type { ImportPort } from '../resources.ts'

/** Part of one cluster in an import. */
export interface ImportSource {
  /** The cluster's id in the set. */
  readonly cluster: string
  readonly service: Service
  /** Its slices, of any manager. */
  readonly slices: readonly EndpointSlice[]
}

interface ImportedEndpointsOptions {
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
    *endpoints(_, skip) {
      // Pods that share an address, as on the network of their host, are one endpoint.
      const found = new Map<string, ImportedEndpoint>()
      for (const slice of ofFamilies) {
        const published = importedPorts(slice, exported)
        // A slice without ports would be one of a Service without any.
        if (published.length === 0 && ports.length > 0) continue
        for (const endpoint of listOf<Endpoint>(slice.endpoints)) {
          const imported = importedEndpoint(endpoint, isHome)
          if (typeof imported === 'string') skip(malformed(slice, imported))
          else addBest(found, { ...imported, ports: published })
        }
      }
      yield* found.values()
    },
  }
}

/** Returns the import's ports that the cluster's Service has by the same number and protocol, by name. */
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

/** Returns the ports of a slice as they are imported. Of several with one name the first counts. */
function importedPorts(
  { ports }: EndpointSlice,
  exported: ReadonlyMap<string, ImportPort>,
): readonly EndpointPort[] {
  const byName = new Map<string, EndpointPort>()
  for (const port of listOf<EndpointPort>(ports))
    for (const imported of importedPort(port, exported))
      if (!byName.has(imported.name ?? '')) byName.set(imported.name ?? '', imported)
  return [...byName.values()]
}

/** Returns a port as it is imported, in a list; an empty one where the import does not have the port. */
export function importedPort(
  { name: nameOrNull, port, protocol }: EndpointPort,
  exported: ReadonlyMap<string, ImportPort>,
): EndpointPort[] {
  const name = nameOrNull ?? ''
  const wanted = exported.get(name)
  if (wanted === undefined || (wanted.protocol ?? 'TCP') !== (protocol ?? 'TCP')) return []
  if (!Number.isInteger(port) || port === undefined || port < 1 || port > MAXIMUM_PORT) return []
  const { appProtocol } = wanted
  return [{ name, port, protocol: protocol ?? 'TCP', ...(appProtocol !== undefined && { appProtocol }) }]
}

type ImportedEndpoint = SourceEndpoint & Required<Pick<SourceEndpoint, 'ready' | 'serving' | 'terminating'>>

/** Adds an endpoint; of several with one address, host name and ports the one that serves best stays. */
function addBest(found: Map<string, ImportedEndpoint>, endpoint: ImportedEndpoint): void {
  const { addresses, hostname, ports } = endpoint
  const key = JSON.stringify([addresses, hostname, ports])
  const known = found.get(key)
  if (known === undefined || comesBefore(endpoint, known)) found.set(key, endpoint)
}

/** Ranks what is ready above what is serving, and that above what is not terminating. */
const rankOf = ({ ready, serving, terminating }: ImportedEndpoint): number =>
  Number(ready) * 4 + Number(serving) * 2 + Number(!terminating)

function comesBefore(one: ImportedEndpoint, other: ImportedEndpoint): boolean {
  if (rankOf(one) !== rankOf(other)) return rankOf(one) > rankOf(other)
  const textOf = ({ nodeName, zone, targetRef }: ImportedEndpoint): string =>
    JSON.stringify([nodeName, zone, targetRef?.namespace, targetRef?.name, targetRef?.uid])
  return textOf(one) < textOf(other)
}

/** Returns an endpoint as it is imported, or what of it is not of the API's form. */
export function importedEndpoint(endpoint: Endpoint, isHome: boolean): ImportedEndpoint | string {
  const { addresses, hostname, zone } = endpoint
  const [address] = listOf<string>(addresses)
  if (typeof address !== 'string') return 'an endpoint has no address'
  const conditions = readConditions(endpoint.conditions)
  if (conditions === undefined)
    return `a condition of the endpoint ${JSON.stringify(address)} is not a boolean`
  return {
    addresses: [address],
    ...conditions,
    ...(typeof hostname === 'string' && labelName(hostname).length === 0 && { hostname }),
    ...(typeof zone === 'string' && zone !== '' && labelValue(zone).length === 0 && { zone }),
    ...(isHome && homeFields(endpoint)),
  }
}

function readConditions(
  conditions: unknown,
): Required<Pick<SourceEndpoint, 'ready' | 'serving' | 'terminating'>> | undefined {
  const fields: unknown = conditions ?? {}
  if (!isRecord(fields)) return undefined
  const { ready, serving, terminating } = fields
  if (![ready, serving, terminating].every(isFlag)) return undefined
  const isReady = ready !== false
  return { ready: isReady, serving: (serving ?? isReady) === true, terminating: terminating === true }
}

/** Returns the node and the object of an endpoint, which only its own cluster knows. */
function homeFields({ nodeName, targetRef }: Endpoint): Pick<SourceEndpoint, 'nodeName' | 'targetRef'> {
  const { kind, namespace, name, uid }: Readonly<Record<string, unknown>> = isRecord(targetRef)
    ? targetRef
    : {}
  return {
    ...(typeof nodeName === 'string' && subdomainName(nodeName).length === 0 && { nodeName }),
    ...(isText(kind) &&
      isText(name) && {
        targetRef: { kind, name, ...(isText(namespace) && { namespace }), ...(isText(uid) && { uid }) },
      }),
  }
}

const malformed = ({ metadata }: EndpointSlice, message: string): SkippedObject => ({
  kind: 'EndpointSlice',
  namespace: metadata?.namespace ?? '',
  name: metadata?.name ?? '(unnamed)',
  reason: 'Malformed',
  message,
})

const isFlag = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'boolean'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const listOf = <T>(value: readonly T[] | undefined): readonly T[] =>
  Array.isArray(value) ? value.filter((item: T) => typeof item === 'string' || isRecord(item)) : []
