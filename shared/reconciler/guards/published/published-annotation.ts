import { hash } from 'node:crypto'
import { hasSeal, isSealed } from '../../../changes/index.ts'
import {
  type Endpoint,
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  MIRRORING_CONTROLLER,
} from '../../../endpointslice/index.ts'
import { type Address, addressOf, readyIn } from './published-addresses.ts'
import { annotationOf, withAnnotation } from './slice-annotations.ts'

/** Marks slices while removals may be held, with the ready addresses that we, and not others, published. */
export const ANNOTATION_PUBLISHED = 'sliceflow.dev/published'

/** Length of an address's digest, of 3 bytes. Two share one in one of 30 slices of 1,000 addresses. */
const DIGEST_CHARACTERS = 4

const digestOf = (address: Address): string =>
  hash('sha256', address, 'base64url').slice(0, DIGEST_CHARACTERS)

/** Returns a copy that records the addresses that it publishes as ready, at 4 bytes an address. */
export const withRecord = (slice: EndpointSlice): EndpointSlice =>
  withAnnotation(slice, ANNOTATION_PUBLISHED, [...readyIn(slice)].map(digestOf).sort().join(''))

/**
 * Returns the ready addresses of a slice that are ours, as far as is known:
 * 1. All of a slice that is as we wrote it, or that was an in-tree controller's and is to be taken over.
 * 2. Of a slice that another writer edited or made, those in our record.
 * 3. If it has no record, those that the plan keeps, whatever their conditions.
 */
export function ourReadyIn(slice: EndpointSlice, planned: ReadonlySet<Address>): Set<Address> {
  const ready = readyIn(slice)
  // 1.
  if (isSealed(slice) || isTakenOver(slice)) return ready
  // 2. and 3.
  const record = recordIn(slice)
  const isOurs = (address: Address): boolean =>
    record === undefined ? planned.has(address) : record.has(digestOf(address))
  return new Set([...ready].filter(isOurs))
}

/**
 * Returns the slice without the endpoints that another writer added; `undefined` if there are none, or there
 * is no record.
 * @param planned the addresses that the plan publishes
 */
export function withoutForeign(
  slice: EndpointSlice,
  planned: ReadonlySet<Address>,
): EndpointSlice | undefined {
  const record = isSealed(slice) ? undefined : recordIn(slice)
  if (record === undefined) return undefined
  const isOurs = ({ addresses }: Endpoint): boolean =>
    addresses
      .map((text) => addressOf(slice, text))
      .some((address) => planned.has(address) || record.has(digestOf(address)))
  const endpoints = (slice.endpoints ?? []).filter(isOurs)
  return endpoints.length === (slice.endpoints?.length ?? 0) ? undefined : { ...slice, endpoints }
}

const IN_TREE: readonly unknown[] = [IN_TREE_CONTROLLER, MIRRORING_CONTROLLER]

const isTakenOver = (slice: EndpointSlice): boolean =>
  !hasSeal(slice) && IN_TREE.includes(slice.metadata?.labels?.[LABEL_MANAGED_BY])

/** Reads the record; `undefined` if there is none. Anybody may edit it: malformed text has no addresses. */
function recordIn(slice: EndpointSlice): ReadonlySet<string> | undefined {
  const text = annotationOf(slice, ANNOTATION_PUBLISHED)
  return text === undefined ? undefined : new Set(text.match(/.{4}/g))
}
