import { hash } from 'node:crypto'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  withAnnotation,
} from './slice-annotations.ts'

/** On a slice with notes of the guards: a digest of them. Like the seal of a slice it holds no secret. */
export const ANNOTATION_NOTES = 'sliceflow.dev/notes'

const NOTES = [ANNOTATION_HELD_SINCE, ANNOTATION_REPAIRS, ANNOTATION_UNVERIFIED_SINCE]

/** A copy that says of its notes that they are ours; of a slice without notes it says nothing. */
export const sealNotes = (slice: EndpointSlice): EndpointSlice =>
  withAnnotation(slice, ANNOTATION_NOTES, digestOf(slice))

/**
 * The slice without notes that are not as we wrote them. Somebody else put them there or changed one of them,
 * or they came with a copy of another slice. Left out where slices are read, they are gone with the next
 * write.
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
