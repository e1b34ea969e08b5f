import { KubernetesError } from '../errors/errors.ts'
import { quoted } from './go-quote.ts'
import { labelKey, labelValue } from './names.ts'

/** A label selector that cannot be read; the message is the one that an API server gives. */
export class SelectorError extends KubernetesError {
  override readonly name = 'SelectorError'
  override readonly retryable = false
}

type LabelOperator = 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

/**
 * Reads a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2` (apimachinery's labels package).
 * An empty text has no requirements and matches everything.
 * @throws SelectorError with the texts of an API server where it cannot be read
 */
export function parseLabelSelector(selector: string): LabelRequirement[] {
  const cursor = new Cursor(tokens(selector))
  const requirements: LabelRequirement[] = []
  for (;;) {
    const first = cursor.peek()
    if (first.kind === 'end') return requirements
    if (!startsRequirement(first)) {
      throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`)
    }
    requirements.push(parseRequirement(cursor))
    const after = cursor.next()
    if (after.kind === 'end') return requirements
    if (after.kind !== ',') throw new SelectorError(`found '${after.text}', expected: ',' or 'end of string'`)
    if (!startsRequirement(cursor.peek())) {
      throw new SelectorError(`found '${cursor.peek().text}', expected: identifier after ','`)
    }
  }
}

class Cursor {
  readonly #rest: Token[]

  constructor(rest: Token[]) {
    this.#rest = rest
  }

  peek = (): Token => this.#rest[0] ?? END
  next = (): Token => this.#rest.shift() ?? END
}

const isWord = (token: Token): boolean =>
  token.kind === 'word' || token.kind === 'in' || token.kind === 'notin'
const startsRequirement = (token: Token): boolean => isWord(token) || token.kind === '!'
const unreadable = (text: string): SelectorError => new SelectorError(`unable to parse requirement: ${text}`)

function parseRequirement(cursor: Cursor): LabelRequirement {
  const negated = cursor.peek().kind === '!'
  if (negated) cursor.next()
  const key = cursor.next()
  if (!isWord(key)) throw unreadable(`found '${key.text}', expected: identifier`)
  const wrong = labelKey(key.text)
  if (wrong.length > 0) throw unreadable(`<nil>: Invalid value: ${quoted(key.text)}: ${wrong.join('; ')}`)
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

/** Parses words between commas, up to the closing parenthesis; a missing word is an empty value. */
function parseWords(cursor: Cursor): string[] {
  const values: string[] = []
  for (;;) {
    const token = cursor.next()
    const after = cursor.peek().kind
    if (isWord(token)) {
      if (after !== ')' && after !== ',')
        throw unreadable(`found '${cursor.peek().text}', expected: ',' or ')'`)
      values.push(token.text)
    } else if (token.kind !== ',') {
      throw unreadable(`found '${token.text}', expected: ',', or identifier`)
    } else if (values.length === 0 || after === ',' || after === ')') {
      values.push('')
    }
    if (after === ')') return values
  }
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement
  const errors: string[] = []
  for (const [index, value] of values.entries()) {
    if ((operator === 'gt' || operator === 'lt') && Number.isNaN(integerOf(value))) {
      errors.push(
        `values[${index}]: Invalid value: ${quoted(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      )
    }
    const wrong = labelValue(value)
    if (wrong.length > 0) {
      errors.push(`values[${index}][${key}]: Invalid value: ${quoted(value)}: ${wrong.join('; ')}`)
    }
  }
  if (errors.length > 1) throw unreadable(`[${errors.join(', ')}]`)
  if (errors[0]) throw unreadable(errors[0])
  return requirement
}

/** Makes a selector that asks for each of these labels, as `spec.selector` of a Service does. */
export const selectorFromLabels = (labels: Readonly<Record<string, string>>): LabelRequirement[] =>
  Object.entries(labels).map(([key, value]) => ({ key, operator: 'in', values: [value] }))

/** Operators in the expressions of a meta/v1 LabelSelector, each as a requirement has it. */
export const EXPRESSION_OPERATORS = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
} as const satisfies Readonly<Record<string, LabelOperator>>

interface SelectorExpression {
  readonly key: string
  readonly operator: keyof typeof EXPRESSION_OPERATORS
  readonly values?: readonly string[] | null | undefined
}

/** Makes a selector of the map and the expressions of an API's selector, which are ANDed. */
export const selectorFromExpressions = (
  labels: Readonly<Record<string, string>> | null | undefined,
  expressions: readonly SelectorExpression[] | null | undefined,
): LabelRequirement[] => [
  ...selectorFromLabels(labels ?? {}),
  ...(expressions ?? []).map(({ key, operator, values }) => ({
    key,
    operator: EXPRESSION_OPERATORS[operator],
    values: [...(values ?? [])].sort(),
  })),
]

/** Writes the text that `parseLabelSelector` reads. */
export const formatLabelSelector = (requirements: readonly LabelRequirement[]): string =>
  requirements.map(formatRequirement).join(',')

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case 'absent':
      return `!${key}`
    case 'gt':
      return `${key}>${values[0]}`
    case 'lt':
      return `${key}<${values[0]}`
    default:
      return `${key} ${operator} (${values.join(',')})`
  }
}

/** Reports whether the labels meet every requirement. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>>,
): boolean {
  // Of its own: every object of JavaScript has a `constructor`.
  return requirements.every((requirement) =>
    meets(requirement, Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined),
  )
}

function meets({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  if (value === undefined) return operator === 'absent' || operator === 'notin'
  switch (operator) {
    case 'exists':
      return true
    case 'absent':
      return false
    case 'in':
      return values.includes(value)
    case 'notin':
      return !values.includes(value)
    case 'gt':
      return integerOf(value) > integerOf(values[0] ?? '')
    case 'lt':
      return integerOf(value) < integerOf(values[0] ?? '')
  }
}

/** Parses an integer of 64 bits, like Go. Other text gives NaN, which is neither less nor greater. */
function integerOf(text: string): bigint | number {
  if (!/^[+-]?\d+$/.test(text)) return Number.NaN
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : Number.NaN
}

const SYMBOLS = ['!=', '==', '=', '!', '>', '<', '(', ')', ','] as const

interface Token {
  readonly kind: 'word' | 'end' | 'in' | 'notin' | (typeof SYMBOLS)[number]
  readonly text: string
}

const END: Token = { kind: 'end', text: '' }

/** Splits a label selector into its tokens; the last one is always the end. */
function tokens(selector: string): Token[] {
  const out: Token[] = []
  let position = 0
  for (;;) {
    position += /^[ \t\r\n]*/.exec(selector.slice(position))?.[0].length ?? 0
    const rest = selector.slice(position)
    if (rest === '') return [...out, END]
    const symbol = SYMBOLS.find((item) => rest.startsWith(item))
    const text = symbol ?? /^[^=!(),<> \t\r\n]+/.exec(rest)?.[0] ?? ''
    out.push({ kind: symbol ?? (text === 'in' || text === 'notin' ? text : 'word'), text })
    position += text.length
  }
}
