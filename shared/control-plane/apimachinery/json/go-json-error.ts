import { quoted } from '../../../kubernetes/index.ts'

const TRUNCATED = 'unexpected end of JSON input'
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

/** Token that may come next, which decides the error about anything else. */
type Expectation = 'value' | 'first element' | 'key' | 'first key' | 'colon' | 'after value'

/** Returns encoding/json's error for a text that JSON.parse refused, by bytes, which need not be UTF-8. */
export function goJsonError(text: string | Buffer): string {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  try {
    new Scanner(bytes.toString('latin1')).scan()
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message
    throw error
  }
  return TRUNCATED
}

class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem'
}

/** Reads JSON without keeping any of it, with Go's words for the first byte that cannot be there. */
class Scanner {
  readonly #bytes: string
  /** The objects and lists that are open. */
  readonly #open: ('{' | '[')[] = []
  #at = 0

  /** @param bytes a character for each byte */
  constructor(bytes: string) {
    this.#bytes = bytes
  }

  scan(): void {
    let expected: Expectation = 'value'
    for (;;) {
      this.#match(/[ \t\r\n]*/y)
      if (this.#at === this.#bytes.length) {
        if (expected === 'after value' && this.#open.length === 0) return
        throw new SyntaxProblem(TRUNCATED)
      }
      expected = this.#next(expected)
    }
  }

  #next(expected: Expectation): Expectation {
    switch (expected) {
      case 'value':
        return this.#value()
      case 'first element':
        return this.#closes(']') ? 'after value' : this.#value()
      case 'first key':
        return this.#closes('}') ? 'after value' : this.#key()
      case 'key':
        return this.#key()
      case 'colon':
        return this.#takes(':') ? 'value' : this.#refuse('after object key')
      case 'after value':
        return this.#afterValue()
    }
  }

  #value(): Expectation {
    const byte = this.#bytes[this.#at] ?? ''
    if (byte === '{' || byte === '[') {
      this.#at++
      this.#open.push(byte)
      return byte === '{' ? 'first key' : 'first element'
    }
    const literal = LITERALS[byte]
    if (byte === '"') this.#string()
    else if (literal !== undefined) this.#literal(literal)
    else if (/[-0-9]/.test(byte)) this.#number()
    else this.#refuse('looking for beginning of value')
    return 'after value'
  }

  #key(): Expectation {
    if (this.#bytes[this.#at] !== '"') this.#refuse('looking for beginning of object key string')
    this.#string()
    return 'colon'
  }

  #afterValue(): Expectation {
    switch (this.#open.at(-1)) {
      case '{':
        if (this.#takes(',')) return 'key'
        return this.#closes('}') ? 'after value' : this.#refuse('after object key:value pair')
      case '[':
        if (this.#takes(',')) return 'value'
        return this.#closes(']') ? 'after value' : this.#refuse('after array element')
      default:
        return this.#refuse('after top-level value')
    }
  }

  #string(): void {
    this.#at++
    for (;;) {
      this.#match(/[ !#-[\]-\xff]*/y)
      if (this.#takes('"')) return
      if (this.#at === this.#bytes.length) throw new SyntaxProblem(TRUNCATED)
      if (!this.#takes('\\')) this.#refuse('in string literal')
      if (this.#takes('u')) {
        const digits = this.#match(/[0-9a-fA-F]{0,4}/y).length
        if (digits < 4) this.#refuse('in \\u hexadecimal character escape')
      } else if (this.#match(/["\\/bfnrt]/y) === '') this.#refuse('in string escape code')
    }
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (!this.#takes(letter)) this.#refuse(`in literal ${word} (expecting '${letter}')`)
    }
  }

  #number(): void {
    this.#takes('-')
    this.#digits(/0|[1-9][0-9]*/y, 'in numeric literal')
    if (this.#takes('.')) this.#digits(/[0-9]+/y, 'after decimal point in numeric literal')
    if (this.#match(/[eE][+-]?/y) !== '') this.#digits(/[0-9]+/y, 'in exponent of numeric literal')
  }

  #digits(some: RegExp, where: string): void {
    if (this.#match(some) === '') this.#refuse(where)
  }

  #match(sticky: RegExp): string {
    sticky.lastIndex = this.#at
    const matched = sticky.exec(this.#bytes)?.[0] ?? ''
    this.#at += matched.length
    return matched
  }

  #takes(byte: string): boolean {
    if (this.#bytes[this.#at] !== byte) return false
    this.#at++
    return true
  }

  #closes(bracket: '}' | ']'): boolean {
    if (!this.#takes(bracket)) return false
    this.#open.pop()
    return true
  }

  #refuse(where: string): never {
    // At its end Go's scanner reads one blank more.
    const byte = this.#bytes[this.#at] ?? ' '
    throw new SyntaxProblem(`invalid character ${shown(byte)} ${where}`)
  }
}

/** Formats a byte as Go's scanner does, which takes it for a character: in single quotes, with escapes. */
function shown(byte: string): string {
  if (byte === "'") return String.raw`'\''`
  return byte === '"' ? `'"'` : `'${quoted(byte).slice(1, -1)}'`
}
