import { hash } from 'node:crypto'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { contentDigest, differenceDigest, digestOf } from './slice-facts.ts'

/**
 * Written into every slice that we write: a digest of what we wrote. A slice whose content still gives the
 * digest is as we left it; anything else was edited by somebody, and its Service must be synced again. By
 * this the relay distinguishes our writes from others' without sharing memory with the functions.
 *
 * Its last part names the writer by the settings that decide what is written. Two processes that disagree
 * find out by this that they undo each other's work.
 *
 * No secret is in it: it reveals edits by somebody who does not know of it, and proves nothing against one
 * who makes a seal, too.
 */
export const ANNOTATION_SEAL = 'sliceflow.dev/seal'
/** Version of the form: `2.DIGEST.WRITER`, or without a writer. */
const CURRENT = '2.'
/** Characters of a writer's name: enough to distinguish a few processes. */
const WRITER_CHARACTERS = 8

/** Names a writer by the settings and identities that decide what it writes, equal for equal ones. */
export const writerName = (...decisive: readonly string[]): string =>
  hash('sha256', JSON.stringify(decisive), 'base64url').slice(0, WRITER_CHARACTERS)

/** Copies a slice with a seal that names no writer. */
export const seal = (slice: EndpointSlice): EndpointSlice => withSeal(slice, contentSeal(slice))

/** @param writer by {@link writerName} @returns what copies a slice with this writer's seal */
export const sealedBy =
  (writer: string) =>
  (slice: EndpointSlice): EndpointSlice =>
    withSeal(slice, `${contentSeal(slice)}.${writer}`)

/** Reports whether the slice is as one of us wrote it, whichever process that was. */
export const isSealed = (slice: EndpointSlice): boolean => wasWrittenAs(slice, slice)

/** Reports whether our last write, by the seal of `found`, had the same content, whoever wrote it. */
export function wasWrittenAs(found: EndpointSlice, content: EndpointSlice): boolean {
  const text = sealOf(found)
  if (text === undefined) return false
  const writer = writerOf(found)
  return contentSeal(content) === (writer === undefined ? text : text.slice(0, -writer.length - 1))
}

/** Returns the writer that the seal names; `undefined` where it names none. */
export const writerOf = (slice: EndpointSlice): string | undefined =>
  /^2\.[-\w]+\.([-\w]+)$/.exec(sealOf(slice) ?? '')?.[1]

/** Reports whether we ever wrote the slice; somebody may have edited it since. */
export const hasSeal = (slice: EndpointSlice): boolean => sealOf(slice) !== undefined

/** Computes a digest of what the slices say, whatever their names and order. */
export const slicesDigest = (slices: readonly EndpointSlice[]): string =>
  digestOf(slices.map(contentSeal).sort())

/** Identifies an edit, so that a repeated one is recognized: how `found` differs from `content`. */
export const editBetween = (found: EndpointSlice, content: EndpointSlice): string =>
  differenceDigest(found, content).slice(0, 8)

const sealOf = (slice: EndpointSlice): string | undefined => slice.metadata?.annotations?.[ANNOTATION_SEAL]

const withSeal = (slice: EndpointSlice, value: string): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, annotations: { ...slice.metadata?.annotations, [ANNOTATION_SEAL]: value } },
})

/** Seals of slices in memory: a sync asks several times for that of each. Slices are never changed. */
const seals = new WeakMap<EndpointSlice, string>()

function contentSeal(slice: EndpointSlice): string {
  const known = seals.get(slice)
  if (known !== undefined) return known
  const seal = CURRENT + contentDigest(slice)
  seals.set(slice, seal)
  return seal
}
