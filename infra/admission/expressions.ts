import type { AnnotationCheck, AnnotationRule } from '../../shared/changes/index.ts'
import { SPECIAL_RANGES } from '../../shared/endpointslice/sources/addresses.ts'

/** A rule of an admission policy: the request is refused with the message unless the expression holds. */
export interface Validation {
  readonly expression: string
  /** Also stands for `messageExpression` where the server cannot evaluate that. */
  readonly message: string
  readonly messageExpression?: string
  readonly reason: 'Invalid'
}

/** Writes a text as a literal of CEL. */
export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const matches = (value: string, { source }: RegExp): string => `${value}.matches(${literal(source)})`

/** Says what the parser says of an annotation that cannot be used. */
export const unusable = (annotation: string): string => `the annotation ${annotation} cannot be used: `

/** Value of an annotation in a policy that has the variable `annotations`. */
const annotationIn = (annotation: string): string => `variables.annotations[${literal(annotation)}]`

/** Makes the rules that a policy has for one annotation, in the order in which the parser checks. */
export const validationsOf = ({ annotation, checks }: AnnotationRule): Validation[] =>
  checks.flatMap((check) => checkedBy(annotation, check, longestOf(checks)))

/** A value that is too long is refused by that alone, as reading it would cost too much. */
function longestOf(checks: readonly AnnotationCheck[]): number | undefined {
  const length = checks.find((check) => check.kind === 'length')
  return length?.most
}

/** What must hold, and the message, as an expression where the value stands in it. */
interface Condition {
  readonly holds: string
  readonly problem: string
  /** An expression of the problem. */
  readonly says?: string
}

const checkedBy = (annotation: string, check: AnnotationCheck, longest: number | undefined): Validation[] =>
  conditionsOf(annotationIn(annotation), check).map(({ holds, problem, says }) => ({
    expression: [
      `!(${literal(annotation)} in variables.changed)`,
      ...(longest === undefined || check.kind === 'length'
        ? []
        : [`size(${annotationIn(annotation)}) > ${longest}`]),
      holds,
    ].join(' || '),
    message: unusable(annotation) + problem,
    ...(says !== undefined && { messageExpression: `${literal(unusable(annotation))} + ${says}` }),
    reason: 'Invalid',
  }))

function conditionsOf(value: string, check: AnnotationCheck): Condition[] {
  switch (check.kind) {
    case 'length':
      return [lengthCondition(value, check)]
    case 'pattern':
      return [patternCondition(value, check)]
    case 'terms': {
      const { most, nouns, verbs } = check
      const terms = `size(${value}.split(','))`
      const end = ` ${nouns}, and may ${verbs[1]} ${most}`
      return [
        {
          holds: `${terms} <= ${most}`,
          problem: `it ${verbs[0]} more than ${most} ${nouns}`,
          says: `${literal(`it ${verbs[0]} `)} + string(${terms}) + ${literal(end)}`,
        },
      ]
    }
    case 'selector':
      return [{ holds: matches(`(${value} + ',')`, check.pattern), problem: check.problem }]
    case 'addresses':
      return addressConditions(value)
  }
}

function lengthCondition(value: string, { most, problem }: AnnotationCheck & { kind: 'length' }): Condition {
  const holds = `size(${value}) <= ${most}`
  if (problem !== undefined) return { holds, problem }
  return {
    holds,
    problem: `it has more than ${most} characters`,
    says: `'it has ' + string(size(${value})) + ' characters, and may have ${most}'`,
  }
}

function patternCondition(
  value: string,
  { pattern, problem, isQuoted }: AnnotationCheck & { kind: 'pattern' },
): Condition {
  const holds = matches(value, pattern)
  return isQuoted
    ? { holds, problem: `it ${problem}`, says: `'"' + ${value} + ${literal(`" ${problem}`)}` }
    : { holds, problem }
}

/** IPv4-mapped IPv6 addresses, which Sliceflow takes for IPv4 and CEL for none. */
const MAPPED = /^[0:]*:[fF]{4}:[0-9a-fA-F.:]+$/

/** An address counts as a whole: each one is compared in its canonical form. */
function addressConditions(value: string): Condition[] {
  const addresses = `${value}.split(',').map(a, a.trim())`
  const isAddress = `(isIP(a) || ${matches('a', MAPPED)})`
  const notSpecial = SPECIAL_RANGES.map(({ name, pattern }): Condition => {
    const isSpecial = `isIP(a) && ${matches('string(ip(a))', pattern)}`
    const words = ` is ${name === 'unspecified' ? 'the' : 'a'} ${name} address`
    return {
      holds: `${addresses}.all(a, !(${isSpecial}))`,
      problem: `one${words}`,
      says: `string(ip(${addresses}.filter(a, ${isSpecial})[0])) + ${literal(words)}`,
    }
  })
  return [
    {
      holds: `${addresses}.all(a, ${isAddress})`,
      problem: 'it is no list of IP addresses with commas between them',
      says: `'"' + ${addresses}.filter(a, !${isAddress})[0] + '" is not an IP address'`,
    },
    ...notSpecial,
  ]
}
