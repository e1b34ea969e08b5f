import { nearest } from '../schema/index.ts'
import { ANNOTATION_RELEASE, SELECTION_ANNOTATIONS } from './annotations.ts'

/** An annotation that means nothing, and the one that it was most likely meant to be. */
export interface MisspeltAnnotation {
  readonly annotation: string
  readonly meant: string
}

const PREFIX = 'sliceflow.dev/'

/**
 * Most annotations that are compared: anybody who may annotate a Service could have a relay compare thousands
 * of names at each change.
 */
const MOST_COMPARED = 20

const NAMES = [...SELECTION_ANNOTATIONS, ANNOTATION_RELEASE].map((annotation) =>
  annotation.slice(PREFIX.length),
)

/**
 * Finds the first annotation of a Service, by its name, that is nearly one of Sliceflow's. Without it the
 * Service would have other endpoints.
 */
export function misspeltAnnotation(
  annotations: Readonly<Record<string, string>> | null | undefined,
): MisspeltAnnotation | undefined {
  const names = Object.keys(annotations ?? {}).filter((annotation) => annotation.startsWith(PREFIX))
  const unknown = names
    .map((annotation) => annotation.slice(PREFIX.length))
    .filter((name) => !NAMES.includes(name))
  for (const name of unknown.sort().slice(0, MOST_COMPARED)) {
    const meant = nearest(name, NAMES)
    if (meant !== undefined) return { annotation: PREFIX + name, meant: PREFIX + meant }
  }
  return undefined
}
