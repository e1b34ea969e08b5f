import { hash } from 'node:crypto'
import type { EndpointSlice } from '../endpointslice/index.ts'

/**
 * Written into every slice that we write: a digest of what we wrote. A slice whose content still gives the digest is as
 * we left it; anything else was edited by somebody, and its Service must be looked at again. By this the relay tells
 * our writes from others' without sharing memory with the functions.
 */
export const ANNOTATION_SEAL = 'sliceflow.dev/seal'
/** The seal of a slice that we are about to delete; its deletion then needs no look. */
const DELETING = 'deleting'

/** A copy that carries its seal. */
export const seal = (slice: EndpointSlice): EndpointSlice => withSeal(slice, digestOf(slice))

/** A copy without endpoints that says that we delete it: small to send to every watcher, twice. */
export const sealForDeletion = (slice: EndpointSlice): EndpointSlice => ({
  ...withSeal(slice, DELETING),
  endpoints: [],
})

/** Whether the slice is as we wrote it. */
export function isSealed(slice: EndpointSlice): boolean {
  const found = sealOf(slice)
  return found !== undefined && (found === DELETING || found === digestOf(slice))
}

/** Whether writing one over the other would change anything that a seal covers. */
export const isSameContent = (one: EndpointSlice, other: EndpointSlice): boolean =>
  digestOf(one) === digestOf(other)

/** Whether it was us who deleted the slice that a DELETED event shows. */
export const isSealedForDeletion = (slice: EndpointSlice): boolean => sealOf(slice) === DELETING

const sealOf = (slice: EndpointSlice): string | undefined => slice.metadata?.annotations?.[ANNOTATION_SEAL]

const withSeal = (slice: EndpointSlice, value: string): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, annotations: { ...slice.metadata?.annotations, [ANNOTATION_SEAL]: value } },
})

/** Over what the API server keeps as it is: it fills in empty fields and leaves out others, so those do not count. */
function digestOf({ metadata, addressType, endpoints, ports }: EndpointSlice): string {
  const { labels, ownerReferences } = metadata ?? {}
  const content = JSON.stringify(canonical({ labels, ownerReferences, addressType, endpoints, ports }))
  return hash('sha256', content, 'base64url').slice(0, 22)
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .map(([name, field]): [string, unknown] => [name, canonical(field)])
    .filter(([, field]) => !isEmpty(field))
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const isEmpty = (field: unknown): boolean =>
  field === undefined ||
  field === null ||
  field === '' ||
  (typeof field === 'object' && Object.keys(field).length === 0)
