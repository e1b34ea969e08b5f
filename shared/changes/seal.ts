import { hash } from 'node:crypto'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { differenceDigest, digestOf, factsOf, isEmpty } from './slice-facts.ts'

/**
 * Written into every slice that we write: a digest of what we wrote. A slice whose content still gives the
 * digest is as we left it; anything else was edited by somebody, and its Service must be looked at again. By
 * this the relay tells our writes from others' without sharing memory with the functions.
 *
 * No secret is in it: it tells edits that somebody makes unaware of it, and proves nothing against one who
 * makes a seal, too.
 */
export const ANNOTATION_SEAL = 'sliceflow.dev/seal'
/** The seal of a slice that we are about to delete; its deletion then needs no look. */
const DELETING = 'deleting'
/**
 * Before a digest that counts labels without a value. Slices that were sealed before have none, until they
 * are written.
 */
const CURRENT = '2.'

/** Copies a slice with its seal. */
export const seal = (slice: EndpointSlice): EndpointSlice => withSeal(slice, currentSeal(slice))

/** Copies a slice without endpoints that says that we delete it: small to send to every watcher, twice. */
export const sealForDeletion = (slice: EndpointSlice): EndpointSlice => ({
  ...withSeal(slice, DELETING),
  endpoints: [],
})

/** Reports whether the slice is as we wrote it. */
export const isSealed = (slice: EndpointSlice): boolean =>
  isSealedForDeletion(slice) || wasWrittenAs(slice, slice)

/** Reports whether our last write, by the seal that was found, says the same as `content`. */
export function wasWrittenAs(found: EndpointSlice, content: EndpointSlice): boolean {
  const text = sealOf(found)
  // That of a deletion is no digest.
  if (text === undefined) return false
  return text === (text.startsWith(CURRENT) ? currentSeal(content) : earlierSeal(content))
}

/** Reports whether we ever wrote the slice; somebody may have edited it since. */
export const hasSeal = (slice: EndpointSlice): boolean => sealOf(slice) !== undefined

/** Reports whether writing one over the other would change nothing that a seal covers. */
export const isSameContent = (one: EndpointSlice, other: EndpointSlice): boolean =>
  currentSeal(one) === currentSeal(other)

/**
 * Tells edits apart, and knows one again: what of `found` is not as in `content`, whatever else either says.
 */
export const editBetween = (found: EndpointSlice, content: EndpointSlice): string =>
  differenceDigest(found, content).slice(0, 8)

/**
 * Reports whether we are about to delete it, or a DELETED event shows that we did: with endpoints it is not
 * as we leave it then.
 */
export const isSealedForDeletion = (slice: EndpointSlice): boolean =>
  sealOf(slice) === DELETING && isEmpty(slice.endpoints)

const sealOf = (slice: EndpointSlice): string | undefined => slice.metadata?.annotations?.[ANNOTATION_SEAL]

const withSeal = (slice: EndpointSlice, value: string): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, annotations: { ...slice.metadata?.annotations, [ANNOTATION_SEAL]: value } },
})

const currentSeal = (slice: EndpointSlice): string => CURRENT + digestOf(factsOf(slice))

/** Computes the seal as it was made before labels without a value counted. */
function earlierSeal({ metadata, addressType, endpoints, ports }: EndpointSlice): string {
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
