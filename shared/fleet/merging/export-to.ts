import { type AnnotationRule, checkProblem } from '../../changes/index.ts'
import { matchesPattern } from '../../settings/index.ts'
import { isAbsent } from '../faults.ts'
import { ANNOTATION_EXPORT_TO } from '../well-known.ts'

const MAX_LENGTH = 2048
const PROBLEM = `it is no list of cluster ids or patterns of up to ${MAX_LENGTH} characters, such as eu-*,us-1`

/** What the annotation must be. */
export const EXPORT_TO_RULE: AnnotationRule = {
  annotation: ANNOTATION_EXPORT_TO,
  checks: [
    { kind: 'length', most: MAX_LENGTH, problem: PROBLEM },
    { kind: 'pattern', pattern: /^ *[-.*a-z0-9]+ *(, *[-.*a-z0-9]+ *)*$/, problem: PROBLEM },
  ],
}

/**
 * Reads which clusters an export is for.
 * @returns what is wrong with the annotation, in words; undefined where all clusters are meant
 */
export function readExportTo(value: unknown): readonly string[] | string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') return PROBLEM
  const problem = checkProblem(EXPORT_TO_RULE.checks, value)
  return problem ?? value.split(',').map((pattern) => pattern.trim())
}

/** Reports whether an export reaches a cluster: its own always. */
export const reaches = (
  { cluster, to }: { readonly cluster: string; readonly to?: readonly string[] | undefined },
  importer: string,
): boolean =>
  to === undefined || cluster === importer || to.some((pattern) => matchesPattern(pattern, importer))
