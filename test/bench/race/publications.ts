import {
  type Endpoint,
  type EndpointSlice,
  LABEL_ENDPOINT_SELECTOR_NAME,
  LABEL_SERVICE_NAME,
} from '../../../shared/endpointslice/index.ts'
import { type ExpectedEndpoint, portText } from '../../support/world/index.ts'
import type { Publication } from './judge.ts'

type Conditions = NonNullable<Endpoint['conditions']>

/** Returns the judge's name of an address of a Service, or of an EndpointSelector. */
export const addressName = (namespace: string, service: string, address: string): string =>
  `${namespace}/${service} ${address}`

const text = ({ ready, terminating }: Conditions, ports: readonly string[]): string => {
  const state = ready ? 'ready' : 'not ready'
  return [...(terminating ? ['terminating'] : []), state, ...ports].join(' ')
}

export const expectedPublication = ({ conditions, ports }: ExpectedEndpoint): string =>
  text(conditions, ports)

/** Addresses that the slices of a watch publish. */
export interface Publications {
  /** Calls `changed` for every address whose publication changes by this slice. */
  put(slice: EndpointSlice): void
  remove(slice: EndpointSlice): void
}

export function createPublications(changed: (address: string, value: Publication) => void): Publications {
  /** Published states by slice, then by address. */
  const slices = new Map<string, ReadonlyMap<string, string>>()
  /** Published states by address, then by slice. An address that moves may be in two slices. */
  const addresses = new Map<string, Map<string, string>>()

  function set(address: string, slice: string, value: string | undefined): void {
    const values = addresses.get(address) ?? new Map<string, string>()
    if (value === undefined) values.delete(slice)
    else values.set(slice, value)
    if (values.size === 0) addresses.delete(address)
    else addresses.set(address, values)
    changed(address, values.size === 0 ? undefined : [...new Set(values.values())].toSorted().join(' and '))
  }

  function replace(name: string, next: ReadonlyMap<string, string>): void {
    const before = slices.get(name) ?? new Map<string, string>()
    if (next.size === 0) slices.delete(name)
    else slices.set(name, next)
    for (const [address, value] of next) if (before.get(address) !== value) set(address, name, value)
    for (const address of before.keys()) if (!next.has(address)) set(address, name, undefined)
  }

  return {
    put: (slice) => replace(nameOf(slice), endpointsOf(slice)),
    remove: (slice) => replace(nameOf(slice), new Map()),
  }
}

const nameOf = ({ metadata }: EndpointSlice): string => `${metadata?.namespace}/${metadata?.name}`

function endpointsOf({ metadata, endpoints, ports }: EndpointSlice): Map<string, string> {
  const { namespace = '', labels = {} } = metadata ?? {}
  const owner = labels[LABEL_SERVICE_NAME] ?? labels[LABEL_ENDPOINT_SELECTOR_NAME] ?? ''
  const portTexts = (ports ?? []).map(portText).toSorted()
  const values = new Map<string, string>()
  for (const { addresses, conditions } of endpoints ?? []) {
    for (const address of addresses) {
      const name = addressName(namespace, owner, address)
      values.set(name, text(conditions ?? {}, portTexts))
    }
  }
  return values
}
