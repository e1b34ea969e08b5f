import { unquote } from './literals.ts'
import { SyntaxIssue } from './source.ts'

export type TokenKind =
  | 'ident'
  | 'escaped'
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'bytes'
  | 'punctuation'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  /** Text in the source; `<EOF>` at the end. */
  readonly text: string
  readonly at: number
  /** Value of a literal. */
  readonly value?: string | Uint8Array
}

const SPACE = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y
const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y
const ESCAPED = /`[A-Za-z0-9_.\-/ ]+`/y
const FLOAT = /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y
const UINT = /(?:0x[0-9a-fA-F]+|\d+)[uU]/y
const INT = /0x[0-9a-fA-F]+|\d+/y
const TEXT =
  /[bB]?(?:[rR](?:"""[\s\S]*?"""|'''[\s\S]*?''')|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|[rR]?["'])/y
const PUNCTUATION = /==|!=|<=|>=|&&|\|\||[-+*/%<>=!?:.,()[\]{}]/y

/** Longest text of an expression, in UTF-16 units: cel-go's default. */
const LONGEST = 100_000

/** Splits an expression into tokens; the last one is of kind `end`. Throws SyntaxIssue at anything else. */
export function tokenize(text: string): Token[] {
  if (text.length > LONGEST) {
    throw new SyntaxIssue(
      `expression code point size exceeds limit: size: ${text.length}, limit ${LONGEST}`,
      0,
    )
  }
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    at += matchAt(SPACE, text, at)?.length ?? 0
    if (at >= text.length) return [...tokens, { kind: 'end', text: '<EOF>', at }]
    const token = literalAt(text, at) ?? plainAt(text, at)
    if (!token) {
      const isOpen = text[at] === '"' || text[at] === "'"
      const shown = isOpen ? text.slice(at).split('\n')[0] : String.fromCodePoint(text.codePointAt(at) ?? 0)
      throw new SyntaxIssue(`Syntax error: token recognition error at: '${shown}'`, at)
    }
    tokens.push(token)
    at += token.text.length
  }
}

function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}

function literalAt(text: string, at: number): Token | undefined {
  const opening = matchAt(TEXT, text, at)
  if (opening === undefined) return undefined
  const whole = isTriple(opening) ? opening : closeText(text, at, opening)
  if (whole === undefined) return undefined
  const prefix = /^[rRbB]*/.exec(whole)?.[0].toLowerCase() ?? ''
  const isBytes = prefix.includes('b')
  const value = unquote(whole.slice(prefix.length), { raw: prefix.includes('r'), bytes: isBytes })
  if (value === undefined) throw new SyntaxIssue(`Syntax error: token recognition error at: '${whole}'`, at)
  return { kind: isBytes ? 'bytes' : 'string', text: whole, at, value }
}

const isTriple = (opening: string): boolean => opening.endsWith('"""') || opening.endsWith("'''")

/** Returns the literal that starts with `opening` up to its quote; undefined if the line ends before. */
function closeText(text: string, at: number, opening: string): string | undefined {
  const quote = opening.at(-1)
  const raw = /r/i.test(opening)
  for (let index = at + opening.length; index < text.length; index++) {
    const character = text[index]
    if (character === '\n' || character === '\r') return undefined
    if (character === quote) return text.slice(at, index + 1)
    if (character === '\\' && !raw) index++
  }
  return undefined
}

function plainAt(text: string, at: number): Token | undefined {
  const kinds = [
    ['escaped', ESCAPED],
    ['ident', IDENT],
    ['float', FLOAT],
    ['uint', UINT],
    ['int', INT],
    ['punctuation', PUNCTUATION],
  ] as const
  for (const [kind, expression] of kinds) {
    const found = matchAt(expression, text, at)
    if (found !== undefined) return { kind, text: found, at }
  }
  return undefined
}
