import { Uint } from '../values/value.ts'
import { type Token, type TokenKind, tokenize } from './lexer.ts'
import { expandMacro } from './macros.ts'
import { depthOf, type Element, type MapNode, type Node, type StructNode } from './nodes.ts'
import { SyntaxIssue } from './source.ts'

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const RELATIONS = new Set(['<', '<=', '>=', '>', '==', '!=', 'in'])
const SUMS = new Set(['+', '-'])
const PRODUCTS = new Set(['*', '/', '%'])
/** Depth of an expression; cel-go's default for its parser's recursion. */
const DEEPEST = 250
/** Maximum depth: chains such as `a.b.c` nest without recursion of the parser, and later code recurs. */
const DEEPEST_TREE = 500
const LEAST_INT = -(2n ** 63n)
const MOST_INT = 2n ** 63n - 1n
const MOST_UINT = 2n ** 64n - 1n

/** Reads an expression and expands its macros. Throws SyntaxIssue where the text is none. */
export function parse(text: string): Node {
  const node = new Parser(tokenize(text)).whole()
  if (depthOf(node) > DEEPEST_TREE) {
    throw new SyntaxIssue(`expression recursion limit exceeded: ${DEEPEST_TREE}`, node.at)
  }
  return node
}

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Node {
    const node = this.#expression()
    const rest = this.#peek()
    if (rest.kind === 'end') return node
    const isLast = this.#peek(1).kind === 'end'
    throw new SyntaxIssue(
      `Syntax error: ${isLast ? 'extraneous' : 'mismatched'} input '${rest.text}' expecting <EOF>`,
      rest.at,
    )
  }

  #peek(ahead = 0): Token {
    const token = this.#tokens[this.#next + ahead] ?? this.#tokens.at(-1)
    if (!token) throw new SyntaxIssue('Syntax error: empty expression', 0)
    return token
  }

  #take(): Token {
    const token = this.#peek()
    this.#next++
    return token
  }

  #accept(text: string): Token | undefined {
    const { kind, text: found } = this.#peek()
    const isSymbol = kind === 'punctuation' || (text === 'in' && kind === 'ident')
    return isSymbol && found === text ? this.#take() : undefined
  }

  #acceptAny(texts: ReadonlySet<string>): Token | undefined {
    return texts.has(this.#peek().text) ? this.#accept(this.#peek().text) : undefined
  }

  #expect(text: string): Token {
    const found = this.#accept(text)
    if (found) return found
    const { kind, text: instead, at } = this.#peek()
    const isMissing = kind === 'end' || (text === ':' && kind !== 'punctuation')
    throw new SyntaxIssue(
      isMissing
        ? `Syntax error: missing '${text}' at '${instead}'`
        : `Syntax error: mismatched input '${instead}' expecting '${text}'`,
      at,
    )
  }

  #expression(): Node {
    if (++this.#depth > DEEPEST) {
      throw new SyntaxIssue(`expression recursion limit exceeded: ${DEEPEST}`, this.#peek().at)
    }
    const condition = this.#logical('||', () => this.#logical('&&', () => this.#relation()))
    const question = this.#accept('?')
    let node = condition
    if (question) {
      const yes = this.#logical('||', () => this.#logical('&&', () => this.#relation()))
      this.#expect(':')
      node = call('_?_:_', question.at, [condition, yes, this.#expression()])
    }
    this.#depth--
    return node
  }

  /** Makes a balanced tree of a chain of `&&` or `||`, as cel-go does: a long one is not deep. */
  #logical(operator: '&&' | '||', operand: () => Node): Node {
    const terms = [operand()]
    const signs: number[] = []
    for (let sign = this.#accept(operator); sign; sign = this.#accept(operator)) {
      signs.push(sign.at)
      terms.push(operand())
    }
    return balanced(`_${operator}_`, terms, signs)
  }

  #relation(): Node {
    return this.#chain(RELATIONS, () => this.#chain(SUMS, () => this.#chain(PRODUCTS, () => this.#unary())))
  }

  #chain(operators: ReadonlySet<string>, operand: () => Node): Node {
    let left = operand()
    for (let sign = this.#acceptAny(operators); sign; sign = this.#acceptAny(operators)) {
      left = call(sign.text === 'in' ? '@in' : `_${sign.text}_`, sign.at, [left, operand()])
    }
    return left
  }

  #unary(): Node {
    const { text, at } = this.#peek()
    if (text !== '!' && text !== '-') return this.#member()
    const negative = this.#negative()
    if (negative) return negative
    let signs = 0
    while (this.#accept(text)) signs++
    const operand = this.#negative() ?? this.#member()
    return signs % 2 === 0 ? operand : call(text === '!' ? '!_' : '-_', at, [operand])
  }

  /** Parses a number with its sign, and what follows it; undefined if there is none. */
  #negative(): Node | undefined {
    const { text, at } = this.#peek()
    const { kind } = this.#peek(1)
    if (text !== '-' || (kind !== 'int' && kind !== 'float')) return undefined
    this.#take()
    return this.#suffixes({ kind: 'constant', at, value: numberOf(this.#take(), '-', at) })
  }

  #member(): Node {
    return this.#suffixes(this.#primary())
  }

  #suffixes(start: Node): Node {
    let node = start
    for (;;) {
      const dot = this.#accept('.')
      const bracket = dot ? undefined : this.#accept('[')
      if (dot) node = this.#selection(node, dot.at)
      else if (bracket) {
        const name = this.#accept('?') ? '_[?_]' : '_[_]'
        const index = this.#expression()
        this.#expect(']')
        node = call(name, bracket.at, [node, index])
      } else return node
    }
  }

  #selection(operand: Node, at: number): Node {
    const optional = this.#accept('?')
    const field = this.#field()
    if (optional) {
      const name: Node = { kind: 'constant', at: field.at, value: field.text }
      return call('_?._', at, [operand, name])
    }
    const open = this.#accept('(')
    if (!open) return { kind: 'select', at, operand, field: field.text, testOnly: false }
    return this.#called(field.text, open.at, operand)
  }

  /** Parses the rest of a call after its opening parenthesis. */
  #called(name: string, at: number, target: Node | undefined): Node {
    const args = this.#list(')', () => this.#expression())
    return expandMacro(name, { at, target, args }) ?? { kind: 'call', at, name, target, args }
  }

  #field(): Token {
    const token = this.#take()
    if (token.kind === 'escaped') throw new SyntaxIssue("unsupported syntax: '`'", token.at)
    if (token.kind === 'ident' && KEYWORDS.has(token.text))
      throw new SyntaxIssue(`Syntax error: mismatched input '${token.text}' expecting IDENTIFIER`, token.at)
    if (token.kind === 'ident' && token.text !== 'in') return token
    // The end of the text is no part of what was read.
    const read = token.kind === 'end' ? '.' : `.${token.text}`
    throw new SyntaxIssue(`Syntax error: no viable alternative at input '${read}'`, token.at)
  }

  /** Items up to `close`, which is taken too. */
  #list<T>(close: string, item: () => T): T[] {
    const items: T[] = []
    // A comma may be all that there is in a list or a map.
    if (close !== ')' && this.#peek().text === ',' && this.#peek(1).text === close) this.#take()
    while (!this.#accept(close)) {
      if (items.length > 0 && !this.#accept(',')) throw this.#unclosed(close)
      if (items.length > 0 && close !== ')' && this.#accept(close)) return items
      items.push(item())
    }
    return items
  }

  #unclosed(close: string): SyntaxIssue {
    const { text, at } = this.#peek()
    return new SyntaxIssue(`Syntax error: mismatched input '${text}' expecting {'${close}', ','}`, at)
  }

  #primary(): Node {
    const { kind, text, at } = this.#peek()
    if (kind === 'punctuation') return this.#bracketed(text, at)
    if (kind === 'ident') return this.#named()
    const reader = LITERALS[kind]
    if (!reader) throw this.#unexpected()
    return { kind: 'constant', at, value: reader(this.#take()) }
  }

  #unexpected(): SyntaxIssue {
    const { text, at } = this.#peek()
    const startsNext = !['end', 'punctuation'].includes(this.#peek(1).kind)
    const what = text !== '<EOF>' && startsNext ? 'extraneous' : 'mismatched'
    return new SyntaxIssue(`Syntax error: ${what} input '${text}' expecting ${OPERAND}`, at)
  }

  #bracketed(text: string, at: number): Node {
    switch (text) {
      case '(': {
        this.#take()
        const node = this.#expression()
        this.#expect(')')
        return node
      }
      case '[':
        this.#take()
        return { kind: 'list', at, elements: this.#list(']', () => this.#element()) }
      case '{':
        this.#take()
        return { kind: 'map', at, entries: this.#list('}', () => this.#entry()) }
      case '.':
        this.#take()
        return this.#named('.')
      default:
        throw this.#unexpected()
    }
  }

  #element(): Element {
    const optional = this.#accept('?') !== undefined
    return { value: this.#expression(), optional }
  }

  #entry(): MapNode['entries'][number] {
    const optional = this.#accept('?') !== undefined
    const key = this.#expression()
    this.#expect(':')
    return { key, value: this.#expression(), optional }
  }

  #named(leading = ''): Node {
    const token = this.#take()
    if (token.kind !== 'ident' || token.text === 'in') {
      this.#next--
      throw this.#unexpected()
    }
    const constant = leading === '' ? KEYWORDS.get(token.text) : undefined
    if (constant !== undefined) return { kind: 'constant', at: token.at, value: constant }
    if (RESERVED.has(token.text)) throw new SyntaxIssue(`reserved identifier: ${token.text}`, token.at)
    const open = this.#accept('(')
    if (open) return this.#called(`${leading}${token.text}`, open.at, undefined)
    return this.#struct(token) ?? { kind: 'ident', at: token.at, name: `${leading}${token.text}` }
  }

  /** Parses `Object.spec{replicas: 1}`; undefined if something else follows. */
  #struct(first: Token): StructNode | undefined {
    let ahead = 0
    let typeName = first.text
    while (this.#peek(ahead).text === '.' && this.#peek(ahead + 1).kind === 'ident') {
      typeName += `.${this.#peek(ahead + 1).text}`
      ahead += 2
    }
    const open = this.#peek(ahead)
    if (open.kind !== 'punctuation' || open.text !== '{') return undefined
    this.#next += ahead + 1
    const fields = this.#list('}', () => {
      const optional = this.#accept('?') !== undefined
      const field = this.#field()
      const colon = this.#expect(':')
      return { name: field.text, at: colon.at, value: this.#expression(), optional }
    })
    return { kind: 'struct', at: open.at, typeName, fields }
  }
}

const KEYWORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

type Reader = (token: Token) => Extract<Node, { kind: 'constant' }>['value']

const LITERALS: Partial<Record<TokenKind, Reader>> = {
  int: (token) => numberOf(token, '', token.at),
  float: (token) => numberOf(token, '', token.at),
  uint: uintOf,
  string: (token) => token.value ?? '',
  bytes: (token) => token.value ?? '',
}

function numberOf({ kind, text }: Token, sign: '-' | '', at: number): bigint | number {
  if (kind === 'float') {
    const value = Number(`${sign}${text}`)
    if (!Number.isFinite(value)) throw new SyntaxIssue('invalid double literal', at)
    return value
  }
  const value = sign === '-' ? -BigInt(text) : BigInt(text)
  if (value < LEAST_INT || value > MOST_INT) throw new SyntaxIssue('invalid int literal', at)
  return value
}

function uintOf({ text, at }: Token): Uint {
  const value = BigInt(text.slice(0, -1))
  if (value > MOST_UINT) throw new SyntaxIssue('invalid uint literal', at)
  return new Uint(value)
}

function call(name: string, at: number, args: readonly Node[]): Node {
  return { kind: 'call', at, name, target: undefined, args }
}

function balanced(name: string, terms: readonly Node[], signs: readonly number[]): Node {
  const [only] = terms
  if (only && terms.length === 1) return only
  const middle = Math.floor(signs.length / 2)
  return call(name, signs[middle] ?? 0, [
    balanced(name, terms.slice(0, middle + 1), signs.slice(0, middle)),
    balanced(name, terms.slice(middle + 1), signs.slice(middle + 1)),
  ])
}
