import { PACKING_POLICIES } from '../../endpointslice/index.ts'
import { type AnnotationCheck, type AnnotationRules, checkProblem } from '../sources/annotation-check.ts'
import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
} from '../sources/annotations.ts'
import { SELECTION_RULES } from '../sources/selection-rules.ts'

const TIME = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`
const PERCENTAGE = String.raw`(?:100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)%`
/** A whole number is a count, as of Kubernetes' own `maxUnavailable`. */
const SHARE = String.raw`(?:0\.\d{1,9}|1\.0{1,9})`
const COUNT = '(?:100000|0|[1-9][0-9]{0,4})'
const PACKINGS = Object.keys(PACKING_POLICIES)

const matching = (pattern: RegExp, problem: string): readonly AnnotationCheck[] => [
  { kind: 'pattern', pattern, problem },
]

/** Allowed values of each annotation of a Service, as far as they depend on nothing else, such as grants. */
export const ANNOTATION_RULES: AnnotationRules = {
  ...SELECTION_RULES,
  [ANNOTATION_RELEASE]: matching(
    new RegExp(`^${TIME}$`),
    'it is no time such as 2026-03-01T12:00:00Z: sliceflow release writes that of the plan that is held',
  ),
  [ANNOTATION_PAUSED]: matching(
    new RegExp(`^(?:true|false|${TIME})$`),
    'it is neither true nor false nor a time such as 2026-03-01T12:00:00Z',
  ),
  [ANNOTATION_MAXIMUM_REMOVAL]: matching(
    new RegExp(`^(?:${PERCENTAGE}|${SHARE}|${COUNT})$`),
    'it is neither a share such as 50% or 0.5 nor a count of endpoints from 0 to 100000',
  ),
  [ANNOTATION_PACKING]: matching(
    new RegExp(`^(?:${PACKINGS.join('|')})$`),
    `it is neither ${PACKINGS.join(' nor ')}`,
  ),
}

/** Says what is wrong with the value of an annotation, as a clause; undefined if nothing is. */
export const annotationProblem = (annotation: string, text: string): string | undefined =>
  checkProblem(ANNOTATION_RULES[annotation] ?? [], text)
