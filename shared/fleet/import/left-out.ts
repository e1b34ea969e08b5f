import {
  type Endpoint,
  type EndpointSlice,
  ownerOfKind,
  parseIp,
  type Service,
} from '../../endpointslice/index.ts'
import type { AddressFilter } from '../../reconciler/index.ts'
import type { ImportPort } from '../resources.ts'
import { exportedPorts, FAMILIES, importedEndpoint, importedPort } from './imported-endpoints.ts'

/** Reason why an endpoint of an exported Service is imported nowhere. */
export interface LeftOut {
  readonly code: 'FamilyNotImported' | 'PortNotImported' | 'InvalidAddress' | 'Malformed' | 'RefusedAddress'
  readonly message: string
}

interface LeftOutContext {
  /** The exported Service, or EndpointSelector in the form of one. */
  readonly service: Service
  readonly ports: readonly ImportPort[]
  readonly addresses: AddressFilter
}

/** Says by the import's rules why an endpoint is left out of every cluster; undefined: it is not. */
export function leftOutReason(
  slice: EndpointSlice,
  endpoint: Endpoint,
  { service, ports, addresses }: LeftOutContext,
): LeftOut | undefined {
  const { addressType } = slice
  if (!FAMILIES.some((family) => family === addressType))
    return {
      code: 'FamilyNotImported',
      message: `its address is of type ${addressType}; only ${FAMILIES.join(' and ')} are imported`,
    }
  const exported = exportedPorts(service, ports)
  const own = Array.isArray(slice.ports) ? slice.ports : []
  if (ports.length > 0 && own.every((port) => importedPort(port, exported).length === 0))
    return {
      code: 'PortNotImported',
      message: `none of its ports is one of the import's (${ports.map(portText).join(', ')}): its ${ownerOfKind(service.kind).kind} has ${
        (service.spec?.ports ?? []).map(portText).join(', ') || 'no port'
      }`,
    }
  const [address] = endpoint.addresses ?? []
  if (parseIp(address ?? '')?.type !== addressType)
    return { code: 'InvalidAddress', message: `"${address ?? ''}" is no ${addressType} address` }
  const imported = importedEndpoint(endpoint, false)
  if (typeof imported === 'string') return { code: 'Malformed', message: imported }
  const range = addresses.rangeOf(address ?? '')
  return range === undefined
    ? undefined
    : {
        code: 'RefusedAddress',
        message: `its address is in ${range}, which is refused (setting refusedAddresses)`,
      }
}

/** Formats a port as people write it, such as `http 80/TCP`. */
export const portText = ({
  name,
  port,
  protocol = 'TCP',
}: Omit<ImportPort, 'port'> & { port?: number }): string =>
  [name, `${port}/${protocol}`].filter(Boolean).join(' ')
