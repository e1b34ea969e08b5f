import { PathError } from '../errors.ts'

/** Reads a path's text from left to right. */
export class Cursor {
  readonly text: string
  position: number

  constructor(text: string, position: number) {
    this.text = text
    this.position = position
  }

  get done(): boolean {
    return this.position >= this.text.length
  }

  peek(): string {
    return this.text.charAt(this.position)
  }

  skipSpace(): void {
    while (this.peek() === ' ') this.position++
  }

  /** Takes the given text if it comes next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.position)) return false
    this.position += expected.length
    return true
  }

  /** Takes what a sticky pattern matches here. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.position += found.length
    return found
  }

  expect(expected: string, where: string): void {
    this.skipSpace()
    if (!this.take(expected)) throw this.error(`expected ${expected} ${where}`)
  }

  error(message: string): PathError {
    const found = this.done ? 'the path ends' : `found ${JSON.stringify(this.peek())}`
    return new PathError(`${message}, ${found} at character ${this.position + 1}`, this.position)
  }

  /** Reads a text in single or double quotes, with backslash escapes. */
  quoted(): string {
    const quote = this.peek()
    let text = ''
    this.position++
    while (!this.done) {
      const sign = this.peek()
      this.position++
      if (sign === quote) return text
      text += sign === '\\' ? this.#escaped() : sign
    }
    throw this.error(`expected ${quote} at the end of a quoted name`)
  }

  #escaped(): string {
    const code = this.match(/u[0-9a-fA-F]{4}/y)
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const sign = this.peek()
    this.position++
    return ESCAPES[sign] ?? sign
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
