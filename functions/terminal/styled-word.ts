import type { Style, Terminal } from './terminal.ts'

export interface StyledWord {
  readonly word: string
  /** Index of its first character in the line. */
  readonly from: number
  /** None leaves the line as it is. */
  readonly style: Style | undefined
}

/**
 * Styles one word of a line. A whole line in yellow or green cannot be read on a light terminal, so a line
 * has its colour in the word that it stands for.
 */
export function styledWord(line: string, { word, from, style }: StyledWord, terminal: Terminal): string {
  const to = from + word.length
  if (style === undefined) return line
  return `${line.slice(0, from)}${terminal.style(style, line.slice(from, to))}${line.slice(to)}`
}
