import { nearest } from '../../schema/index.ts'
import { ANNOTATION_PAUSED, ANNOTATION_RELEASE, OVERRIDE_ANNOTATIONS } from '../sources/annotations.ts'
import { SELECTION_ANNOTATIONS } from '../sources/selection-rules.ts'

/** An annotation that means nothing, and the one that it was most likely meant to be. */
interface MisspeltAnnotation {
  readonly annotation: string
  readonly meant: string
  /** A clause. */
  readonly problem: string
}

const PREFIX = 'sliceflow.dev/'

/** Maximum number of annotations that are compared, as users may annotate a Service with thousands. */
const MAX_COMPARED = 20

/** Annotations without which a Service would have other endpoints, or be written against somebody's will. */
const DECISIVE = [...SELECTION_ANNOTATIONS, ANNOTATION_PAUSED, ANNOTATION_RELEASE]
/** Every annotation that a Service may have. */
export const SERVICE_ANNOTATIONS: readonly string[] = [...DECISIVE, ...OVERRIDE_ANNOTATIONS]

/**
 * Finds the first annotation of an object, by its name, that is nearly one of these.
 * @param known annotations that mean something on such an object; default: those without which a Service
 *   would have other endpoints
 */
export function misspeltAnnotation(
  annotations: Readonly<Record<string, unknown>> | null | undefined,
  known: readonly string[] = DECISIVE,
): MisspeltAnnotation | undefined {
  const meanings = known.map((annotation) => annotation.slice(PREFIX.length))
  const names = Object.keys(annotations ?? {}).filter((annotation) => annotation.startsWith(PREFIX))
  const unknown = names
    .map((annotation) => annotation.slice(PREFIX.length))
    .filter((name) => !meanings.includes(name) && !SERVICE_ANNOTATIONS.includes(PREFIX + name))
  for (const name of unknown.sort().slice(0, MAX_COMPARED)) {
    const meant = nearest(name, meanings)
    if (meant === undefined) continue
    const problem = `Sliceflow has no such annotation; did you mean ${PREFIX + meant}?`
    return { annotation: PREFIX + name, meant: PREFIX + meant, problem }
  }
  return undefined
}
