import { type Endpoint, type EndpointSlice, portSetKey } from '../../../endpointslice/index.ts'
import type { Changes } from '../../slice-changes.ts'
import { isAlive, nameOf } from './slice-annotations.ts'

/** Slices by name: those that are there before a write, with which it begins. */
type SlicesByName = ReadonlyMap<string, EndpointSlice>

export const slicesByName = (slices: readonly EndpointSlice[]): Map<string, EndpointSlice> =>
  new Map(slices.filter(isAlive).map((slice) => [nameOf(slice), slice]))

/** Returns the slices that are there once the changes are written. */
export function slicesAfter(before: SlicesByName, changes: Changes): SlicesByName {
  const after = new Map(before)
  for (const slice of changes.delete) after.delete(nameOf(slice))
  for (const slice of [...changes.update, ...changes.create]) after.set(nameOf(slice), slice)
  return after
}

/** Returns the addresses as consumers see them: each with its type and its ports. */
export function publishedIn({ addressType, ports, endpoints }: EndpointSlice): Set<string> {
  const group = `${addressType}/${portSetKey(ports ?? [])}`
  return new Set((endpoints ?? []).flatMap(({ addresses }) => addresses.map((text) => `${group}/${text}`)))
}

/** An address of its type, whatever its ports. */
export type Address = string & { readonly __brand: 'Address' }

export const addressOf = ({ addressType }: EndpointSlice, text: string): Address =>
  `${addressType}/${text}` as Address

/** Returns every address that takes new connections. An absent condition means ready, as the API says. */
export const readyIn = (slice: EndpointSlice): Set<Address> => addressesIn(slice, isReady)

/** Returns the ready addresses of several slices, each once whatever its ports. */
export const readyAddresses = (slices: SlicesByName): Set<Address> =>
  new Set([...slices.values()].flatMap((slice) => [...readyIn(slice)]))

/** Returns every address, whatever its conditions. */
export const allAddresses = (slices: SlicesByName): Set<Address> =>
  new Set([...slices.values()].flatMap((slice) => [...addressesIn(slice, () => true)]))

function addressesIn(slice: EndpointSlice, holds: (endpoint: Endpoint) => boolean): Set<Address> {
  const endpoints = (slice.endpoints ?? []).filter(holds)
  return new Set(endpoints.flatMap(({ addresses }) => addresses.map((text) => addressOf(slice, text))))
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false
