import type { AddressType, Endpoint, EndpointSlice } from '../types.ts'
import { LABEL_MANAGED_BY } from '../well-known.ts'
import type { SliceReference } from './types.ts'

/** Identity of an endpoint to find in slices. */
interface Wanted {
  /** Empty for endpoints that are of no object. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly addresses: readonly string[]
}

/**
 * Finds the slices that an endpoint stands in: by the object that it refers to, or where it refers to none,
 * by address. With other addresses than the wanted ones it does not stand there; no addresses wanted: with
 * any.
 */
export interface SliceIndex {
  find(addressType: AddressType, wanted: Wanted): SliceReference[]
}

export function createSliceIndex(slices: readonly EndpointSlice[]): SliceIndex {
  const found = new Map<string, SliceReference[]>()
  for (const slice of slices) {
    const reference = referenceTo(slice)
    for (const endpoint of slice.endpoints ?? []) {
      for (const key of keysOf(slice.addressType, endpoint)) {
        const list = found.get(key)
        if (list === undefined) found.set(key, [reference])
        else list.push(reference)
      }
    }
  }
  return {
    find(addressType, { kind, namespace, name, addresses }) {
      const object = objectKey(addressType, kind, `${namespace}/${name}`)
      const keys = addresses.length === 0 ? [object] : addresses.map((address) => `${object} ${address}`)
      const byObject = keys.flatMap((key) => found.get(key) ?? [])
      const byAddress = addresses.flatMap((address) => found.get(addressKey(addressType, address)) ?? [])
      return [...new Set([...byObject, ...byAddress])]
    },
  }
}

function keysOf(addressType: string, { targetRef, addresses }: Endpoint): string[] {
  if (!targetRef?.name) return (addresses ?? []).map((address) => addressKey(addressType, address))
  const { kind = '', namespace = '', name } = targetRef
  const object = objectKey(addressType, kind, `${namespace}/${name}`)
  return [object, ...(addresses ?? []).map((address) => `${object} ${address}`)]
}

const objectKey = (addressType: string, kind: string, name: string): string =>
  `${addressType} ${kind} ${name}`
const addressKey = (addressType: string, address: string): string => `${addressType} ${address}`

export const managedByOf = (slice: EndpointSlice): string => slice.metadata?.labels?.[LABEL_MANAGED_BY] ?? ''

const referenceTo = (slice: EndpointSlice): SliceReference => ({
  name: slice.metadata?.name ?? '',
  managedBy: managedByOf(slice),
})
