import { badRequest } from '../errors/index.ts'
import { labelKey, labelValue } from '../validation/index.ts'
import { type Token, tokens } from './label-tokens.ts'

export type LabelOperator = 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

/**
 * Reads a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`. Throws a 400 with the texts of the real server (apimachinery's
 * labels package) where it cannot be read.
 */
export function parseLabelSelector(selector: string): LabelRequirement[] {
  const cursor = new Cursor(tokens(selector))
  const requirements: LabelRequirement[] = []
  for (;;) {
    const first = cursor.peek()
    if (first.kind === 'end') return requirements
    if (!startsRequirement(first)) {
      throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`)
    }
    requirements.push(parseRequirement(cursor))
    const after = cursor.next()
    if (after.kind === 'end') return requirements
    if (after.kind !== ',') throw badRequest(`found '${after.text}', expected: ',' or 'end of string'`)
    if (!startsRequirement(cursor.peek())) {
      throw badRequest(`found '${cursor.peek().text}', expected: identifier after ','`)
    }
  }
}

class Cursor {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(list: readonly Token[]) {
    this.#tokens = list
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '' }
  }

  next(): Token {
    const token = this.peek()
    this.#position++
    return token
  }
}

const isWord = (token: Token): boolean =>
  token.kind === 'word' || token.kind === 'in' || token.kind === 'notin'
const startsRequirement = (token: Token): boolean => isWord(token) || token.kind === '!'
const unreadable = (text: string) => badRequest(`unable to parse requirement: ${text}`)

function parseRequirement(cursor: Cursor): LabelRequirement {
  const negated = cursor.peek().kind === '!'
  if (negated) cursor.next()
  const key = cursor.next()
  if (!isWord(key)) throw unreadable(`found '${key.text}', expected: identifier`)
  const wrong = labelKey(key.text)
  if (wrong.length > 0)
    throw unreadable(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${wrong.join('; ')}`)
  const { kind } = cursor.peek()
  if (negated) return { key: key.text, operator: 'absent', values: [] }
  if (kind === 'end' || kind === ',') return { key: key.text, operator: 'exists', values: [] }
  return parseComparison(key.text, cursor)
}

const EXACT: Record<string, LabelOperator> = { '=': 'in', '==': 'in', '!=': 'notin', '>': 'gt', '<': 'lt' }

function parseComparison(key: string, cursor: Cursor): LabelRequirement {
  const token = cursor.next()
  if (token.kind === 'in' || token.kind === 'notin') {
    return checked({ key, operator: token.kind, values: parseSet(cursor) })
  }
  const operator = EXACT[token.kind]
  if (!operator) throw unreadable(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`)
  return checked({ key, operator, values: [parseExact(cursor)] })
}

function parseExact(cursor: Cursor): string {
  const { kind } = cursor.peek()
  if (kind === 'end' || kind === ',') return ''
  const token = cursor.next()
  if (!isWord(token)) throw unreadable(`found '${token.text}', expected: identifier`)
  return token.text
}

function parseSet(cursor: Cursor): string[] {
  const open = cursor.next()
  if (open.kind !== '(') throw unreadable(`found '${open.text}' expected: '('`)
  const first = cursor.peek()
  if (first.kind === ')') {
    cursor.next()
    return ['']
  }
  if (!isWord(first) && first.kind !== ',')
    throw unreadable(`found '${first.text}', expected: ',', ')' or identifier`)
  const values = parseWords(cursor)
  cursor.next()
  return [...new Set(values)].sort()
}

/** Words between commas, up to the closing parenthesis; a missing word is an empty value. */
function parseWords(cursor: Cursor): string[] {
  const values: string[] = []
  for (;;) {
    const token = cursor.next()
    const after = cursor.peek()
    if (isWord(token)) values.push(wordBefore(token, after))
    else if (token.kind !== ',') throw unreadable(`found '${token.text}', expected: ',', or identifier`)
    else if (values.length === 0 || after.kind === ',' || after.kind === ')') values.push('')
    if (after.kind === ')') return values
  }
}

function wordBefore(token: Token, after: Token): string {
  if (after.kind === ')' || after.kind === ',') return token.text
  throw unreadable(`found '${after.text}', expected: ',' or ')'`)
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement
  const errors: string[] = []
  for (const [index, value] of values.entries()) {
    if ((operator === 'gt' || operator === 'lt') && !/^[+-]?\d+$/.test(value)) {
      errors.push(
        `values[${index}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      )
    }
    const wrong = labelValue(value)
    if (wrong.length > 0) {
      errors.push(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${wrong.join('; ')}`)
    }
  }
  if (errors.length > 1) throw unreadable(`[${errors.join(', ')}]`)
  if (errors[0]) throw unreadable(errors[0])
  return requirement
}

/** True when the labels meet every requirement. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Record<string, string>,
): boolean {
  return requirements.every((requirement) => meets(requirement, labels[requirement.key]))
}

function meets({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
    default:
      return compares(operator, value, values[0] ?? '')
  }
}

function compares(operator: 'gt' | 'lt', value: string | undefined, bound: string): boolean {
  if (value === undefined || !/^[+-]?\d+$/.test(value)) return false
  return operator === 'gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound)
}
