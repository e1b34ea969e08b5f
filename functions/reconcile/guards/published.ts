import { type Endpoint, type EndpointSlice, portSetKey } from '../../../shared/endpointslice/index.ts'
import type { Changes } from '../write-slices.ts'
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

/** Every address that takes new connections, once whatever its ports; an absent condition means ready, as the API says. */
export function readyAddresses(slices: SlicesByName): Set<string> {
  const found = new Set<string>()
  for (const { addressType, endpoints } of slices.values())
    for (const endpoint of endpoints ?? [])
      if (isReady(endpoint)) for (const text of endpoint.addresses) found.add(`${addressType}/${text}`)
  return found
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false
