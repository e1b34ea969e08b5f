import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** An output for text, and what it can show. */
export interface Terminal {
  /** Whether the output is a terminal: elsewhere there are neither colours nor charts. */
  readonly isTerminal: boolean
  /** Current number of characters in a line. */
  readonly columns: number
  /** Lines, by now. */
  readonly rows: number
  /**
   * Writes the text in a style. It stays as it is in a pipe, on a terminal without colours, and with
   * `NO_COLOR` set.
   */
  style(style: Style, text: string): string
}

/** Width that terminals have by tradition. */
const COLUMNS = 80
const ROWS = 24

/** Tells what a stream can show. */
export const terminalOf = (stream: NodeJS.WriteStream): Terminal => ({
  isTerminal: stream.isTTY === true,
  get columns() {
    return stream.columns || COLUMNS
  },
  get rows() {
    return stream.rows || ROWS
  },
  style: (style, text) => styleText(style, text, { stream, validateStream: true }),
})
