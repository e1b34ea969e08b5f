import { addressProblem, PACKING_POLICIES } from '../../endpointslice/index.ts'
import { parseLabelSelector, SelectorError } from '../../kubernetes/index.ts'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  ANNOTATION_SELECTOR,
  MAX_ANNOTATION_LENGTH,
  MAX_CLUSTERS,
  MAX_SELECTOR_TERMS,
} from './annotations.ts'

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

const TIME = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`
const PERCENTAGE = String.raw`(?:100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)%`
/** A whole number is a count, as of Kubernetes' own `maxUnavailable`. */
const SHARE = String.raw`(?:0\.\d{1,9}|1\.0{1,9})`
const COUNT = '(?:100000|0|[1-9][0-9]{0,4})'

const SPACE = String.raw`[ \t\r\n]*`
/** A label's value, or the part of its key after the slash. */
const LABEL = '[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*'
const SUBDOMAIN = String.raw`[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*`
const KEY = `(?:${SUBDOMAIN}/)?${LABEL}`
const SET = String.raw`\(${SPACE}(?:${LABEL}${SPACE})?(?:,${SPACE}(?:${LABEL}${SPACE})?)*\)`
const COMPARISON = String.raw`${SPACE}(?:(?:==?|!=)(?:${SPACE}${LABEL})?|[<>]${SPACE}[0-9]+)|[ \t\r\n]+(?:not)?in${SPACE}${SET}`
const REQUIREMENT = `${SPACE}(?:!${SPACE}${KEY}|${KEY}(?:${COMPARISON})?)${SPACE}`

const NOT_BLANK = /[^ \t\r\n]/
const PACKINGS = Object.keys(PACKING_POLICIES)

const lengthOf = (annotation: keyof typeof MAX_ANNOTATION_LENGTH): AnnotationCheck => ({
  kind: 'length',
  most: MAX_ANNOTATION_LENGTH[annotation],
})

/**
 * What people may write as the value of each annotation of a Service. What depends on anything else, such as
 * on grants, is not here.
 */
export const ANNOTATION_RULES = {
  [ANNOTATION_SELECTOR]: [
    lengthOf(ANNOTATION_SELECTOR),
    {
      kind: 'pattern',
      pattern: NOT_BLANK,
      problem: 'it is empty and would match every pod of the namespace',
    },
    {
      kind: 'terms',
      most: MAX_SELECTOR_TERMS,
      verbs: ['has', 'have'],
      nouns: 'requirements and values',
    },
    {
      kind: 'selector',
      pattern: new RegExp(`^(?:${REQUIREMENT},)+$`),
      problem: 'it is not a selector as kubectl -l takes it, such as app=web,tier in (a,b)',
    },
  ],
  [ANNOTATION_CLUSTER]: [
    lengthOf(ANNOTATION_CLUSTER),
    { kind: 'pattern', pattern: NOT_BLANK, problem: 'it is empty' },
    {
      kind: 'pattern',
      pattern: /^[ \t\r\n]*[^, \t\r\n][^,]*(?:,[ \t\r\n]*[^, \t\r\n][^,]*)*$/,
      problem: 'it has a comma without a name beside it',
    },
    { kind: 'terms', most: MAX_CLUSTERS, verbs: ['names', 'name'], nouns: 'clusters' },
  ],
  [ANNOTATION_NAMESPACE]: [
    lengthOf(ANNOTATION_NAMESPACE),
    {
      kind: 'pattern',
      pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
      problem: 'is not the name of a namespace',
      isQuoted: true,
    },
  ],
  [ANNOTATION_NETWORK]: [
    lengthOf(ANNOTATION_NETWORK),
    {
      kind: 'pattern',
      pattern: /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\/)?[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/,
      problem: 'is neither namespace/name nor name',
      isQuoted: true,
    },
  ],
  [ANNOTATION_ADDRESSES]: [lengthOf(ANNOTATION_ADDRESSES), { kind: 'addresses' }],
  [ANNOTATION_RELEASE]: [
    {
      kind: 'pattern',
      pattern: new RegExp(`^${TIME}$`),
      problem:
        'it is no time such as 2026-03-01T12:00:00Z: sliceflow release writes that of the plan that is held',
    },
  ],
  [ANNOTATION_PAUSED]: [
    {
      kind: 'pattern',
      pattern: new RegExp(`^(?:true|false|${TIME})$`),
      problem: 'it is neither true nor false nor a time such as 2026-03-01T12:00:00Z',
    },
  ],
  [ANNOTATION_MAXIMUM_REMOVAL]: [
    {
      kind: 'pattern',
      pattern: new RegExp(`^(?:${PERCENTAGE}|${SHARE}|${COUNT})$`),
      problem: 'it is neither a share such as 50% or 0.5 nor a count of endpoints from 0 to 100000',
    },
  ],
  [ANNOTATION_PACKING]: [
    {
      kind: 'pattern',
      pattern: new RegExp(`^(?:${PACKINGS.join('|')})$`),
      problem: `it is neither ${PACKINGS.join(' nor ')}`,
    },
  ],
} as const satisfies Readonly<Record<string, readonly AnnotationCheck[]>>

export type RuledAnnotation = keyof typeof ANNOTATION_RULES

/** Annotations that say something only beside, or only without, another one. */
export const ANNOTATION_COMPANIONS = {
  /** Beside a selector. */
  namespaceNeedsCluster: `it needs ${ANNOTATION_CLUSTER}: pods of this cluster are those of the Service’s own namespace`,
  addressesExcludeSelector: `it excludes ${ANNOTATION_SELECTOR}: remove one of them`,
} as const

/** Says what is wrong with the value of an annotation, as a clause; undefined if nothing is. */
export function annotationProblem(annotation: RuledAnnotation, text: string): string | undefined {
  for (const check of ANNOTATION_RULES[annotation]) {
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
      return text
        .split(',')
        .map((address) => addressProblem(address.trim()))
        .find((problem) => problem !== undefined)
  }
}

/** Says that a text is too long, in characters as people and CEL count them. */
export function lengthProblem(most: number, text: string): string | undefined {
  if (text.length <= most) return undefined
  const { length } = [...text]
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
