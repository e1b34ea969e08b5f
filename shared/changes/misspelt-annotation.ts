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
const MAX_COMPARED = 20

const OF_SERVICES = [...SELECTION_ANNOTATIONS, ANNOTATION_RELEASE]

/**
 * Finds the first annotation of an object, by its name, that is nearly one of Sliceflow's. Without it the
 * Service would have other endpoints.
 * @param known annotations that mean something on such an object; default: those of Services
 */
export function misspeltAnnotation(
  annotations: Readonly<Record<string, unknown>> | null | undefined,
  known: readonly string[] = OF_SERVICES,
): MisspeltAnnotation | undefined {
  const meanings = known.map((annotation) => annotation.slice(PREFIX.length))
  const names = Object.keys(annotations ?? {}).filter((annotation) => annotation.startsWith(PREFIX))
  const unknown = names
    .map((annotation) => annotation.slice(PREFIX.length))
    .filter((name) => !meanings.includes(name))
  for (const name of unknown.sort().slice(0, MAX_COMPARED)) {
    const meant = nearest(name, meanings)
    if (meant !== undefined) return { annotation: PREFIX + name, meant: PREFIX + meant }
  }
  return undefined
}
