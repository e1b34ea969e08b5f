import { printable } from '../../../shared/telemetry/index.ts'
import type { ViewObject } from '../../../shared/views/index.ts'
import { columns, type Style, styledWord, type Terminal, truncated } from '../../terminal/index.ts'
import { type FormatOutcome, problemText } from './output.ts'

const HEADER = ['EVENT', 'CHANGE', 'KIND', 'NAMESPACE', 'NAME', 'VALUES']
const STYLES: Readonly<Record<string, Style>> = { Added: 'green', Updated: 'yellow', Deleted: 'red' }
/** A name may be long; from this many characters on a column makes way for the next one. */
const WIDEST = 40

/**
 * Prints what changed in views as a table for people: a row an object, and a line a problem. Columns grow
 * with what comes. What a terminal has no room for is cut; elsewhere rows are whole.
 */
export function tableFormat(terminal: Terminal): FormatOutcome {
  const widths = HEADER.map((title) => title.length)
  let isBegun = false

  function lineOf(cells: readonly string[]): string {
    for (const [index, cell] of cells.entries())
      widths[index] = Math.max(widths[index] ?? 0, Math.min(cell.length, WIDEST))
    const [line = ''] = columns([cells.map((cell, index) => cell.padEnd(widths[index] ?? 0))])
    return terminal.isTerminal ? truncated(line, terminal.columns) : line
  }

  return (event, { view, problems }) => {
    const rows = view.map(({ type, object }) => ({ type, cells: [String(event), type, ...cellsOf(object)] }))
    // Before the header, so that it is as wide as the first rows.
    for (const { cells } of rows) lineOf(cells)
    const header = isBegun || rows.length === 0 ? [] : [terminal.style('bold', lineOf(HEADER))]
    isBegun ||= rows.length > 0
    return [
      ...header,
      ...rows.map(({ type, cells }) => {
        const line = lineOf(cells)
        return styledWord(line, { word: type, from: line.indexOf(type), style: STYLES[type] }, terminal)
      }),
      ...problems.map((problem) => terminal.style('red', printable(`${event}: ${problemText(problem)}`))),
    ]
      .map((line) => `${line}\n`)
      .join('')
  }
}

function cellsOf({ apiVersion: _, kind, metadata, ...values }: ViewObject): string[] {
  const { namespace = '', name = '' } = metadata ?? {}
  return [kind, namespace || '-', name, valuesOf(values).map(withoutSpec).join(' ')].map((cell) =>
    printable(String(cell)),
  )
}

/** Removes `spec.` from a value. Most are of the spec: without its name there is room for more of them. */
const withoutSpec = (value: string): string => value.replace(/^spec\./, '')

/** Lists each value of an object, however deep, as `spec.port=80`. */
function valuesOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}=${String(value)}`]
  return Object.entries(value).flatMap(([name, inner]) =>
    valuesOf(inner, path === '' ? name : `${path}.${name}`),
  )
}
