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

/** Makes the rules that a policy has for one annotation, in the order in which the parser checks. */
export function validationsOf({ annotation, checks }: AnnotationRule): Validation[] {
  const value = `variables.annotations[${literal(annotation)}]`
  const unchanged = `!(${literal(annotation)} in variables.changed)`
  // A value that is too long is refused by that alone, as reading it would cost too much.
  const tooLong = checks.flatMap((check) => (check.kind === 'length' ? `size(${value}) > ${check.most}` : []))
  return checks.flatMap((check) =>
    conditionsOf(value, check).map(({ holds, problem, says }) => ({
      expression: [unchanged, ...(check.kind === 'length' ? [] : tooLong), holds].join(' || '),
      message: unusable(annotation) + problem,
      ...(says !== undefined && { messageExpression: `${literal(unusable(annotation))} + ${says}` }),
      reason: 'Invalid',
    })),
  )
}

/** What must hold, and the message, as an expression where the value stands in it. */
interface Condition {
  readonly holds: string
  readonly problem: string
  /** An expression of the problem. */
  readonly says?: string
}

function conditionsOf(value: string, check: AnnotationCheck): Condition[] {
  switch (check.kind) {
    case 'length': {
      const { most, problem = `it has more than ${most} characters` } = check
      const says = `'it has ' + string(size(${value})) + ' characters, and may have ${most}'`
      return [{ holds: `size(${value}) <= ${most}`, problem, ...(check.problem === undefined && { says }) }]
    }
    case 'pattern': {
      const { pattern, problem } = check
      const holds = matches(value, pattern)
      if (!check.isQuoted) return [{ holds, problem }]
      return [{ holds, problem: `it ${problem}`, says: `'"' + ${value} + ${literal(`" ${problem}`)}` }]
    }
    case 'terms': {
      const { most, nouns, verbs } = check
      const terms = `size(${value}.split(','))`
      const end = ` ${nouns}, and may ${verbs[1]} ${most}`
      const says = `${literal(`it ${verbs[0]} `)} + string(${terms}) + ${literal(end)}`
      return [{ holds: `${terms} <= ${most}`, problem: `it ${verbs[0]} more than ${most} ${nouns}`, says }]
    }
    case 'selector':
      return [{ holds: matches(`(${value} + ',')`, check.pattern), problem: check.problem }]
    case 'addresses':
      return addressConditions(value)
  }
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

const PREFIX = 'sliceflow.dev/'

/** Refuses names that are one slip away from a known one, as the parser does; of case none counts. */
export const misspellingsOf = (known: readonly string[]): Validation[] =>
  known.map((annotation) => {
    const near = `k.matches(${literal(oneSlipFrom(annotation))})`
    const unknown = `variables.changed.filter(k, !(k in [${known.map(literal).join(', ')}]) && ${near})`
    const problem = `Sliceflow has no such annotation; did you mean ${annotation}?`
    return {
      expression: `size(${unknown}) == 0`,
      message: `an annotation is misspelt: ${problem}`,
      messageExpression: `'the annotation ' + ${unknown}[0] + ' cannot be used: ' + ${literal(problem)}`,
      reason: 'Invalid',
    }
  })

/**
 * Writes the pattern of all names with at most one slip: a character too many, too few or another one, or two
 * that changed places.
 */
export function oneSlipFrom(annotation: string): string {
  const name = annotation.slice(PREFIX.length)
  const slips = [...name].flatMap((letter, at) => {
    const [before, after] = [name.slice(0, at), name.slice(at + 1)]
    const swapped = after === '' ? [] : [`${before}${after[0]}${letter}${after.slice(1)}`]
    return [`${before}.?${after}`, `${before}.${letter}${after}`, ...swapped]
  })
  return `^${PREFIX.replace('.', '\\.')}(?i:${[...slips, `${name}.`].join('|')})$`
}
