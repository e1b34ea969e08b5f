import { wrapped } from '../terminal/index.ts'

/** Longest line of prose on a wide terminal. */
const WIDEST = 110
/** Width of what is no terminal. */
const USUAL = 80
const COMMAND = /^ *\$ /
/** A line of a list: its label, and what it is, after at least two spaces. */
const LABELLED = /^( *\S+(?: \S+)* {2,})(\S.*)$/

/** Makes a text for `addHelpText` that fits the terminal: see {@link wrapHelp}. */
export function helpText(text: string): () => string {
  return () => wrapHelp(text, Math.min(process.stdout.columns ?? USUAL, WIDEST))
}

interface Paragraph {
  readonly prefix: string
  /** Column of the lines after the first. */
  readonly hanging: number
  readonly words: string[]
}

/**
 * Wraps a help text:
 *
 * 1. lines of one paragraph, which start in one column, are joined and wrapped;
 * 2. a label at the start of a line, before two spaces, stays alone in its column;
 * 3. a command, after `$`, is broken by backslashes before a flag or a pipe.
 */
export function wrapHelp(text: string, width: number): string {
  const lines: string[] = []
  let paragraph: Paragraph | undefined
  let isOpen = false
  const end = (): void => {
    if (paragraph) lines.push(...linesOf(paragraph, width))
    paragraph = undefined
  }
  for (const line of text.split('\n')) {
    const isCommand: boolean = isOpen || COMMAND.test(line)
    isOpen = isCommand && /[\\|]$/.test(line)
    const isProse = !isCommand && line.trim() !== ''
    if (isProse && paragraph?.hanging === indentOf(line)) {
      paragraph.words.push(...wordsOf(line))
      continue
    }
    end()
    if (isProse) paragraph = begin(line)
    else lines.push(...brokenCommand(line, width))
  }
  end()
  return lines.join('\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length
const wordsOf = (line: string): string[] => line.trim().split(' ')

function begin(line: string): Paragraph {
  const [, prefix = ' '.repeat(indentOf(line)), rest = line] = LABELLED.exec(line) ?? []
  return { prefix, hanging: prefix.length, words: wordsOf(rest) }
}

const linesOf = ({ prefix, hanging, words }: Paragraph, width: number): string[] =>
  wrapped(words.join(' '), width - hanging).map(
    (line, index) => (index === 0 ? prefix : ' '.repeat(hanging)) + line,
  )

/** Breaks a command where a shell goes on reading it. */
function brokenCommand(command: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const part of partsOf(command)) {
    if (line !== '' && line.length + part.length + ' \\'.length > width) {
      lines.push(`${line} \\`)
      line = `${' '.repeat(indentOf(command) + 4)}${part.trimStart()}`
    } else line += part
  }
  return [...lines, line]
}

/** Splits a command before each long flag and each pipe that is not quoted. */
function partsOf(command: string): string[] {
  const parts: string[] = []
  let quote = ''
  let from = 0
  for (const [index, character] of [...command].entries()) {
    if (quote === character) quote = ''
    else if (quote === '' && /["']/.test(character)) quote = character
    if (quote !== '' || !/^ (?:--[a-z]|\| )/.test(command.slice(index, index + 4))) continue
    parts.push(command.slice(from, index))
    from = index
  }
  return [...parts, command.slice(from)]
}
