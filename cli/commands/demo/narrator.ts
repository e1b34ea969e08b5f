import { counted, type Terminal, wrapped } from '../../terminal/index.ts'
import type { Published } from './scene.ts'

export type Narrator = ReturnType<typeof createNarrator>

const INDENT = ' '.repeat(12)

/** Prints the steps of the demo as lines with the seconds since its start. */
export function createNarrator(write: (text: string) => void, terminal: Terminal) {
  const began = performance.now()
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s`

  function line(text: string): void {
    const width = Math.max(20, terminal.columns - INDENT.length - 1)
    const [first = '', ...more] = terminal.isTerminal ? wrapped(text, width) : [text]
    write(`${terminal.style('dim', seconds())}    ${first}\n`)
    for (const rest of more) write(`${INDENT}${rest}\n`)
  }

  return {
    chapter: (title: string): void =>
      write(`\n${terminal.style('dim', seconds())}  ${terminal.style('bold', title)}\n`),
    line,
    /** Says what the slices of a Service hold. */
    published(service: string, { slices, endpoints, ready, zones }: Published) {
      if (slices === 0) return line(`${service}: no slices`)
      const places = Object.entries(zones).map(([zone, count]) => `${zone} ${count}`)
      line(
        `${service}: ${counted(slices, 'slice')}, ${counted(endpoints, 'endpoint')} (${places.join(', ')}), ${ready} ready`,
      )
    },
  }
}
