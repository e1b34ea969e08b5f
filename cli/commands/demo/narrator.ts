import { counted, type Terminal, wrapped } from '../../terminal/index.ts'
import type { Published, ZoneEndpoints } from './scene.ts'

export type Narrator = ReturnType<typeof createNarrator>

const INDENT = ' '.repeat(12)
const BAR_WIDTH = 40

/** Prints the steps of the demo as lines with the seconds since its start; on a terminal with charts. */
export function createNarrator(write: (text: string) => void, terminal: Terminal) {
  const began = performance.now()
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s`
  const room = (): number => Math.max(20, terminal.columns - INDENT.length - 1)

  function line(text: string): void {
    const [first = '', ...more] = terminal.isTerminal ? wrapped(text, room()) : [text]
    write(`${terminal.style('dim', seconds())}    ${first}\n`)
    for (const rest of more) write(`${INDENT}${rest}\n`)
  }

  /** Draws the ready endpoints in colour, and the others behind them. */
  function zoneBar({ zone, endpoints, ready }: ZoneEndpoints, largest: number): void {
    const width = Math.min(BAR_WIDTH, room() - zone.length - 20)
    const whole = bar(endpoints, largest, width)
    const part = bar(ready, largest, width)
    const others = terminal.style('dim', '░'.repeat(whole.length - part.length))
    const count = endpoints === ready ? `${endpoints}` : `${endpoints}, ${ready} ready`
    write(`${INDENT}${zone}  ${terminal.style('cyan', part)}${others}${whole && ' '}${count}\n`)
  }

  return {
    chapter: (title: string): void =>
      write(`\n${terminal.style('dim', seconds())}  ${terminal.style('bold', title)}\n`),
    line,
    /** Shows what the slices of a Service hold. @param largest endpoints of a zone that there can be */
    published(service: string, { slices, endpoints, ready, zones }: Published, largest: number) {
      if (slices === 0) return line(`${service}: no slices`)
      const counts = zones.map((zone) => `${zone.zone} ${zone.endpoints}`).join(', ')
      const places = terminal.isTerminal ? '' : ` (${counts})`
      line(
        `${service}: ${counted(slices, 'slice')}, ${counted(endpoints, 'endpoint')}${places}, ${ready} ready`,
      )
      if (terminal.isTerminal) for (const zone of zones) zoneBar(zone, largest)
    },
  }
}

/** A full block, and before it the seven that fill a part of one, from an eighth on. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const

/**
 * Draws a bar as long as the value's share of the largest, in eighths of a character; anything above 0 is
 * visible.
 * @param width of the largest, in characters
 */
export function bar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return ''
  const eighths = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[(eighths % 8) - 1] ?? '')
}
