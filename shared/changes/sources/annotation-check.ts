import { addressProblem } from '../../endpointslice/index.ts'
import { parseLabelSelector, SelectorError } from '../../kubernetes/index.ts'
import { commaSeparated } from '../../values/index.ts'

/**
 * One thing that the value of an annotation must be. Patterns mean the same in JavaScript and in RE2, of
 * which CEL's `matches` is made, as the admission policy is made of these checks, too.
 */
export type AnnotationCheck =
  /** Characters at most. */
  | { readonly kind: 'length'; readonly most: number; readonly problem?: string }
  /** @property isQuoted the problem begins with the value */
  | {
      readonly kind: 'pattern'
      readonly pattern: RegExp
      readonly problem: string
      readonly isQuoted?: true
    }
  /** Words between commas at most. @property verbs what it does with them, and may do */
  | {
      readonly kind: 'terms'
      readonly most: number
      readonly verbs: readonly [string, string]
      readonly nouns: string
    }
  /** A label selector. @property pattern of its syntax, with a comma at the end; lengths are the parser's */
  | { readonly kind: 'selector'; readonly pattern: RegExp; readonly problem: string }
  /** Addresses with commas between them, that may be published. */
  | { readonly kind: 'addresses' }

/** What the value of an annotation must be: the first check that fails says what is wrong. */
export interface AnnotationRule {
  readonly annotation: string
  readonly checks: readonly AnnotationCheck[]
}

/** What the values of several annotations must be. */
export type AnnotationRules = Readonly<Record<string, readonly AnnotationCheck[]>>

export const NOT_BLANK = /[^ \t\r\n]/

/** Says what is wrong with a value, as a clause; undefined if nothing is. */
export function checkProblem(checks: readonly AnnotationCheck[], text: string): string | undefined {
  for (const check of checks) {
    const problem = problemOf(check, text)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOf(check: AnnotationCheck, text: string): string | undefined {
  switch (check.kind) {
    case 'length': {
      const problem = lengthProblem(check.most, text)
      return problem && (check.problem ?? problem)
    }
    case 'pattern':
      if (check.pattern.test(text)) return undefined
      return check.isQuoted ? `"${text}" ${check.problem}` : check.problem
    case 'terms': {
      const terms = text.split(',').length
      const [does, may] = check.verbs
      return terms > check.most
        ? `it ${does} ${terms} ${check.nouns}, and may ${may} ${check.most}`
        : undefined
    }
    case 'selector':
      return selectorProblem(check.problem, text)
    case 'addresses':
      return commaSeparated(text)
        .map(addressProblem)
        .find((problem) => problem !== undefined)
  }
}

/** One character that JavaScript counts twice. */
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g

/** Says that a text is too long, in characters as people and CEL count them. */
function lengthProblem(most: number, text: string): string | undefined {
  if (text.length <= most) return undefined
  const length = text.length - (text.match(SURROGATE_PAIR)?.length ?? 0)
  return length > most ? `it has ${length} characters, and may have ${most}` : undefined
}

/** @param problem in general, before what the parser says */
function selectorProblem(problem: string, text: string): string | undefined {
  try {
    parseLabelSelector(text)
    return undefined
  } catch (error) {
    if (error instanceof SelectorError) return `${problem}: ${error.message}`
    throw error
  }
}
