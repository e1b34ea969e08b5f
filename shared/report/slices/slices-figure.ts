import { cell } from '@observablehq/plot'
import { renderChart } from '../chart.ts'
import type { STATES } from '../elements/index.ts'
import { renderFigure } from '../figure.ts'
import { type Html, html, jsonHtml } from '../html.ts'
import type { Frame } from './film.ts'

export interface SlicesFigure {
  readonly title: string
  readonly frames: readonly Frame[]
  /** Formats a moment. */
  readonly timeText: (atMs: number) => string
}

/** Maximum number of slices that are drawn: more would be unreadable and make the page large. */
const MAX_SLICES = 24
const MAX_CELLS = 3_000
/** Maximum length of a label in characters, and its width in pixels. */
const LABEL_LENGTH = 14
const LABEL_WIDTH = 110
const ROW_HEIGHT = 14
/** Maximum number of rows in the data table. */
const MAX_ROWS = 12

const COLOURS: Readonly<Record<keyof typeof STATES, string>> = {
  r: 'var(--ready)',
  u: 'var(--unready)',
  t: 'var(--terminating)',
}
const LEGEND = [
  { name: 'ready', colour: COLOURS.r },
  { name: 'not ready', colour: COLOURS.u },
  { name: 'terminating', colour: COLOURS.t },
]

/**
 * Draws how slices fill over time: one row per slice over all moments, and one cell per endpoint at the
 * selected moment.
 */
export function renderSlices({ title, frames, timeText }: SlicesFigure): Html {
  const { names, hidden } = namesOf(frames)
  const times = timesOf(frames, timeText)
  const columns = Math.max(
    1,
    ...frames.flatMap(({ slices }) => [...slices.values()].map(({ length }) => length)),
  )
  const data = {
    slices: names.map(shortened),
    times,
    frames: frames.map(({ slices }) => names.map((name) => slices.get(name) ?? '')),
  }
  const height = names.length * ROW_HEIGHT
  const cells = html`
<div data-slices>
<label>Moment <input type="range" min="0" max="${frames.length - 1}" value="${frames.length - 1}" step="1"></label>
<output>${times.at(-1)}</output>
<div class="scroll" role="region" tabindex="0" aria-label="${`${title}: endpoints at the chosen moment`}">
<svg class="cells" role="img" aria-label="A row a slice, a cell an endpoint" data-columns="${columns}" width="${LABEL_WIDTH + columns * 6}" height="${height}" viewBox="0 0 ${LABEL_WIDTH + columns * 6} ${height}"></svg>
</div>
<script type="application/json">${jsonHtml(data)}</script>
</div>`
  return renderFigure({
    title,
    note: `Above, each row is a slice and each column a moment: the stronger its colour, the more endpoints it has, of ${columns} at most. Below, each cell is an endpoint at the moment that you choose.${hidden > 0 ? ` Of ${names.length + hidden} slices the first ${names.length} are shown.` : ''}`,
    drawing: html`${overview(title, { names, times, frames, columns })}${cells}`,
    legend: LEGEND,
    table: { columns: ['moment', 'endpoints', ...names], rows: rowsOf(frames, times, names) },
  })
}

interface Overview {
  readonly names: readonly string[]
  readonly times: readonly string[]
  readonly frames: readonly Frame[]
  readonly columns: number
}

function overview(title: string, { names, times, frames, columns }: Overview): Html {
  const filled = frames.flatMap(({ slices }, moment) =>
    names.flatMap((name) => {
      const count = slices.get(name)?.length ?? 0
      return count === 0 ? [] : [{ name, moment, count, share: count / columns }]
    }),
  )
  return renderChart(`${title}: endpoints in each slice over time`, () => ({
    height: names.length * ROW_HEIGHT + 50,
    marginLeft: LABEL_WIDTH,
    marginRight: 30,
    marginTop: 8,
    x: {
      domain: frames.map((_, index) => index),
      tickFormat: (index: number) => times[index] ?? '',
      label: null,
      padding: 0,
    },
    y: { domain: [...names], label: null, tickSize: 0, tickFormat: shortened, padding: 0.15 },
    marks: [
      cell(filled, {
        x: 'moment',
        y: 'name',
        fill: 'var(--ready)',
        fillOpacity: ({ share }: { share: number }) => 0.15 + 0.85 * share,
        title: ({ name, moment, count }: { name: string; moment: number; count: number }) =>
          `${name}, ${times[moment]}: ${count}`,
      }),
    ],
  }))
}

/** Shortens a name to its suffix, in which the slices of a Service differ. */
const shortened = (name: string): string =>
  name.length > LABEL_LENGTH ? `…${name.slice(1 - LABEL_LENGTH)}` : name

/** Lists the names of slices in the order in which they appeared. */
function namesOf(frames: readonly Frame[]): { names: string[]; hidden: number } {
  const most = new Map<string, number>()
  for (const { slices } of frames)
    for (const [name, { length }] of slices) most.set(name, Math.max(length, most.get(name) ?? 0))
  const names: string[] = []
  let cells = 0
  for (const [name, size] of most) {
    cells += size
    if (names.length > 0 && (names.length === MAX_SLICES || cells > MAX_CELLS)) break
    names.push(name)
  }
  return { names, hidden: most.size - names.length }
}

const timesOf = (frames: readonly Frame[], timeText: (atMs: number) => string): string[] =>
  frames.map(({ atMs }) => timeText(atMs))

/** Returns the table rows of selected moments. */
function rowsOf(frames: readonly Frame[], times: readonly string[], names: readonly string[]): string[][] {
  const every = Math.max(1, Math.ceil(frames.length / MAX_ROWS))
  return frames.flatMap(({ slices }, index) => {
    if (index % every !== 0 && index !== frames.length - 1) return []
    const counts = names.map((name) => String(slices.get(name)?.length ?? 0))
    const total = [...slices.values()].reduce((sum, { length }) => sum + length, 0)
    return [[times[index] ?? '', String(total), ...counts]]
  })
}
