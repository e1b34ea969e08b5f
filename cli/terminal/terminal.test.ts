import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { terminalOf } from './index.ts'

beforeEach(() => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS']) vi.stubEnv(name, undefined)
})
afterEach(() => vi.unstubAllEnvs())

/** Makes a terminal stream like that of Node, with color support. */
const stream = (more: object): NodeJS.WriteStream =>
  Object.assign(new PassThrough(), more) as unknown as NodeJS.WriteStream
const tty = (depth: number): NodeJS.WriteStream =>
  stream({ isTTY: true, columns: 140, getColorDepth: () => depth })

it('styles text on a terminal with colours, and nowhere else', () => {
  expect(terminalOf(tty(8)).style('red', 'down')).toBe('\u001b[31mdown\u001b[39m')
  expect(terminalOf(tty(1)).style('red', 'down')).toBe('down')
  expect(terminalOf(stream({})).style('red', 'down')).toBe('down')
})

it('reports the size of a terminal, and of what is none that of the first ones', () => {
  expect(terminalOf(tty(8))).toMatchObject({ isTerminal: true, columns: 140 })
  expect(terminalOf(stream({}))).toMatchObject({ isTerminal: false, columns: 80 })
})
