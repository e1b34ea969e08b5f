import type { Terminal } from './terminal.ts'

/**
 * Breaks a text at its spaces into lines of so many characters; a word that is longer has a line of its own.
 */
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

/** Indents what is left of a line that had to be broken. */
const HANGING = ' '.repeat(4)

/** Breaks a line at its spaces so that it fits the terminal; elsewhere it stays whole. */
export function fitted(
  line: string,
  { isTerminal, columns }: Pick<Terminal, 'isTerminal' | 'columns'>,
): string {
  if (!isTerminal || line.length <= columns) return line
  return wrapped(line, columns - HANGING.length).join(`\n${HANGING}`)
}
