import { PACKING_POLICIES } from '../endpointslice/index.ts'
import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
} from './annotations.ts'

/** Form of an annotation whose whole value one pattern describes. */
export interface AnnotationForm {
  /** Means the same in JavaScript and in RE2, of which CEL's `matches` is made. */
  readonly pattern: RegExp
  /** A clause about a value of another form: what may stand there. */
  readonly problem: string
}

const TIME = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`
const PERCENTAGE = String.raw`(?:100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)%`
/** A whole number is a count, as of Kubernetes' own `maxUnavailable`. */
const SHARE = String.raw`(?:0\.\d{1,9}|1\.0{1,9})`
const COUNT = '(?:100000|0|[1-9][0-9]{0,4})'

/**
 * The forms of annotations that are read without anything beside them. The parser reads by them, and the
 * admission policy is made of them.
 */
export const ANNOTATION_FORMS = {
  [ANNOTATION_PAUSED]: {
    pattern: new RegExp(`^(?:true|false|${TIME})$`),
    problem: 'it is neither true nor false nor a time such as 2026-03-01T12:00:00Z',
  },
  [ANNOTATION_MAXIMUM_REMOVAL]: {
    pattern: new RegExp(`^(?:${PERCENTAGE}|${SHARE}|${COUNT})$`),
    problem: 'it is neither a share such as 50% or 0.5 nor a count of endpoints from 0 to 100000',
  },
  [ANNOTATION_PACKING]: {
    pattern: new RegExp(`^(?:${Object.keys(PACKING_POLICIES).join('|')})$`),
    problem: `it is neither ${Object.keys(PACKING_POLICIES).join(' nor ')}`,
  },
  [ANNOTATION_RELEASE]: {
    pattern: new RegExp(`^${TIME}$`),
    problem:
      'it is no time such as 2026-03-01T12:00:00Z: sliceflow release writes that of the plan that is held',
  },
} as const satisfies Readonly<Record<string, AnnotationForm>>

export type FormedAnnotation = keyof typeof ANNOTATION_FORMS
