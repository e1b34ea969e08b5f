import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** An output for text, and what it can show. */
export interface Terminal {
  /** Whether the output is a terminal: elsewhere lines have any length. */
  readonly isTerminal: boolean
  readonly columns: number
  /** Writes the text in a style; plain in a pipe, on a terminal without colours, and with `NO_COLOR` set. */
  style(style: Style, text: string): string
}

/** Width that terminals have by tradition. */
const COLUMNS = 80

export const terminalOf = (stream: NodeJS.WriteStream): Terminal => ({
  isTerminal: stream.isTTY === true,
  get columns() {
    return stream.columns || COLUMNS
  },
  style: (style, text) => styleText(style, text, { stream, validateStream: true }),
})

interface StyledWord {
  readonly word: string
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

/** Wraps a text at spaces into lines of at most `width` characters; a longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Truncates a text to `width` characters, of which the last is an ellipsis then. */
export const truncated = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`

/** Column in which what is left of a line goes on, unless the line is indented so far itself. */
const HANGING = 4
const FURTHER = 2

/**
 * Breaks a line at its spaces so that it fits the terminal; elsewhere it stays whole.
 * @param column where what is left begins; default: a little further than the line
 */
export function fitted(
  line: string,
  { isTerminal, columns }: Pick<Terminal, 'isTerminal' | 'columns'>,
  column = Math.max(HANGING, line.length - line.trimStart().length + FURTHER),
): string {
  if (!isTerminal || line.length <= columns) return line
  const [first = '', rest] = split(line, columns)
  const hanging = ' '.repeat(column)
  return rest === undefined
    ? first
    : [first, ...wrapped(rest, Math.max(1, columns - column)).map((text) => hanging + text)].join('\n')
}

/** Breaks all lines of a text as {@link fitted} does. */
export const fittedText = (text: string, terminal: Pick<Terminal, 'isTerminal' | 'columns'>): string =>
  text
    .split('\n')
    .map((line) => fitted(line, terminal))
    .join('\n')

/** Splits a line at the last space at which it fits, or at the first one. */
function split(line: string, columns: number): readonly [string, string?] {
  const before = line.lastIndexOf(' ', columns)
  const isText = before > 0 && line.slice(0, before).trim() !== ''
  const at = isText ? before : line.indexOf(' ', columns)
  return at < 0 ? [line] : [line.slice(0, at).trimEnd(), line.slice(at).trimStart()]
}
