type TokenKind =
  | 'word'
  | 'end'
  | 'error'
  | ')'
  | ','
  | '!'
  | '=='
  | '='
  | '>'
  | '<'
  | '!='
  | '('
  | 'in'
  | 'notin'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

export const END: Token = { kind: 'end', text: '' }

const SYMBOLS = ['!=', '==', '=', '!', '>', '<', '(', ')', ','] as const

/** Splits a label selector into its tokens; the last one is always the end. */
export function tokens(selector: string): Token[] {
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
