import { type Endpoint, type EndpointSlice, portSetKey } from '../../endpointslice/index.ts'
import type { Changes } from '../slice-changes.ts'
import { isAlive, nameOf } from './slice-annotations.ts'

/** Slices by name: those that are there before a write, with which it begins. */
export type SlicesByName = ReadonlyMap<string, EndpointSlice>

export const slicesByName = (slices: readonly EndpointSlice[]): Map<string, EndpointSlice> =>
  new Map(slices.filter(isAlive).map((slice) => [nameOf(slice), slice]))

/** What is there once the changes are written. */
export function slicesAfter(before: SlicesByName, changes: Changes): SlicesByName {
  const after = new Map(before)
  for (const slice of changes.delete) after.delete(nameOf(slice))
  for (const slice of [...changes.update, ...changes.create]) after.set(nameOf(slice), slice)
  return after
}

/** An address as consumers see it: of its type, on its ports. */
export function publishedIn({ addressType, ports, endpoints }: EndpointSlice): Set<string> {
  const group = `${addressType}/${portSetKey(ports ?? [])}`
  return new Set((endpoints ?? []).flatMap(({ addresses }) => addresses.map((text) => `${group}/${text}`)))
}

/** An address of its type, whatever its ports. */
export type Address = string & { readonly __brand: 'Address' }

export const addressOf = ({ addressType }: EndpointSlice, text: string): Address =>
  `${addressType}/${text}` as Address

/** Every address that takes new connections; an absent condition means ready, as the API says. */
export const readyIn = (slice: EndpointSlice): Set<Address> => addressesIn(slice, isReady)

/** The same of several slices, once whatever its ports. */
export const readyAddresses = (slices: SlicesByName): Set<Address> =>
  new Set([...slices.values()].flatMap((slice) => [...readyIn(slice)]))

/** Every address, in whatever condition. */
export const allAddresses = (slices: SlicesByName): Set<Address> =>
  new Set([...slices.values()].flatMap((slice) => [...addressesIn(slice, () => true)]))

function addressesIn(slice: EndpointSlice, holds: (endpoint: Endpoint) => boolean): Set<Address> {
  const endpoints = (slice.endpoints ?? []).filter(holds)
  return new Set(endpoints.flatMap(({ addresses }) => addresses.map((text) => addressOf(slice, text))))
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false
