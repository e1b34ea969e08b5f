import { bar, sparkline, type Terminal } from '../terminal/index.ts'

/** Tells a story in lines, each with the seconds since its beginning; on a terminal with colours and charts. */
export interface Narrator {
  chapter(title: string): void
  line(text: string): void
  /** On a terminal: a bar for each of these. @param largest the value of the longest bar that there can be */
  bars(values: readonly (readonly [name: string, value: number])[], largest: number): void
  /** On a terminal: values in the order of time. */
  course(values: readonly number[], what: string): void
}

const INDENT = ' '.repeat(12)
const BAR_WIDTH = 40

export function createNarrator(write: (text: string) => void, terminal: Terminal): Narrator {
  const began = performance.now()
  const seconds = (): string =>
    terminal.style('dim', `${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s`)
  const room = (): number => Math.max(10, terminal.columns - INDENT.length - 2)
  return {
    chapter: (title) => write(`\n${seconds()}  ${terminal.style('bold', title)}\n`),
    line: (text) => write(`${seconds()}    ${text}\n`),
    bars(values, largest) {
      if (!terminal.isTerminal) return
      const width = Math.max(...values.map(([name]) => name.length))
      for (const [name, value] of values) {
        const drawn = bar(value, largest, Math.min(BAR_WIDTH, room() - width - 8))
        write(`${INDENT}${name.padEnd(width)}  ${terminal.style('cyan', drawn)}${drawn && ' '}${value}\n`)
      }
    },
    course(values, what) {
      if (!terminal.isTerminal) return
      write(`${INDENT}${terminal.style('cyan', sparkline(values, room()))}\n`)
      write(`${INDENT}${terminal.style('dim', what)}\n`)
    },
  }
}
