import { hash } from 'node:crypto'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  withAnnotation,
} from './slice-annotations.ts'

/** Marks a slice with notes of the guards: a digest of them. Like the seal it holds no secret. */
export const ANNOTATION_NOTES = 'sliceflow.dev/notes'

const NOTES = [ANNOTATION_HELD_SINCE, ANNOTATION_REPAIRS, ANNOTATION_UNVERIFIED_SINCE]

/** Returns a copy whose notes are marked as ours. A slice without notes gets no mark. */
export const sealNotes = (slice: EndpointSlice): EndpointSlice =>
  withAnnotation(slice, ANNOTATION_NOTES, digestOf(slice))

/**
 * Returns the slice without notes that are not as we wrote them. Another writer put them there or changed
 * one, or they came with a copy of another slice. Slices are read this way, so that the next write takes such
 * notes off.
 */
export function withOwnNotes(slice: EndpointSlice): EndpointSlice {
  const areOurs = annotationOf(slice, ANNOTATION_NOTES) === digestOf(slice)
  return areOurs ? slice : NOTES.reduce((without, name) => withAnnotation(without, name, undefined), slice)
}

/** @returns `undefined` for a slice without notes */
function digestOf(slice: EndpointSlice): string | undefined {
  const notes = NOTES.map((name) => annotationOf(slice, name))
  if (notes.every((note) => note === undefined)) return undefined
  const { namespace, name } = slice.metadata ?? {}
  return hash('sha256', JSON.stringify([namespace, name, ...notes]), 'base64url').slice(0, 22)
}
