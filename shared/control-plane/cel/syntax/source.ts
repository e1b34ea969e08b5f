import { CelError } from '../errors.ts'

/** Something that is wrong with an expression, and where in its text. */
export interface Issue {
  readonly message: string
  /** Offset in the text, from 0. */
  readonly at: number
}

/** Maximum number of issues reported for one expression. */
const MOST_ISSUES = 100

/** Formats the issues as cel-go does, each with its line of the text and a mark below it. */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  const sorted = [...issues].sort((a, b) => a.at - b.at)
  const shown = sorted.slice(0, MOST_ISSUES).map((issue) => describeIssue(text, issue))
  if (sorted.length > MOST_ISSUES) shown.push(`${sorted.length - MOST_ISSUES} more errors were truncated`)
  return shown.join('\n')
}

/** Dots and marks are wide where the characters above them have more than one byte. */
const isWide = (text: string): boolean => text > '\x7f'

function describeIssue(text: string, { message, at }: Issue): string {
  const before = text.slice(0, at).split('\n')
  const ahead = [...(before.at(-1) ?? '')]
  const line = (text.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ')
  const dots = ahead.map((character) => (isWide(character) ? '\uff0e' : '.')).join('')
  const mark = isWide(text.slice(at)) ? '\uff3e' : '^'
  return `ERROR: <input>:${before.length}:${ahead.length + 1}: ${message}\n | ${line}\n | ${dots}${mark}`
}

/** Thrown where a text is no expression. */
export class SyntaxIssue extends CelError {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}
