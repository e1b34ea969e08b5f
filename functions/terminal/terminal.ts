import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Where text goes, and what it can show there. */
export interface Terminal {
  /** Whether a person looks at it: elsewhere there are neither colours nor charts. */
  readonly isTerminal: boolean
  /** Characters in a line, by now. */
  readonly columns: number
  /** Lines, by now. */
  readonly rows: number
  /** The text in a style; as it is in a pipe, on a terminal without colours, and with `NO_COLOR` set. */
  style(style: Style, text: string): string
}

/** What terminals have had since there are any. */
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
