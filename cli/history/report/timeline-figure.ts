import { barX, ruleX } from '@observablehq/plot'
import { type Html, renderChart, renderFigure } from '../../report/index.ts'
import type { Span, SpanState } from './spans.ts'

const DAY_MS = 86_400_000

/** Chooses how an axis writes times, in UTC: with the day if there are several. */
export function clockOf(firstMs: number, lastMs: number): (time: Date) => string {
  const isLong = lastMs - firstMs > DAY_MS
  const [from, to] = isLong ? [5, 16] : lastMs - firstMs > 600_000 ? [11, 16] : [11, 19]
  return (time) => time.toISOString().slice(from, to).replace('T', ' ')
}

export interface Marker {
  readonly atMs: number
  readonly note: string
}

interface Timeline {
  readonly spans: readonly Span[]
  readonly names: readonly string[]
  /** Endpoints that are not drawn, and lines of words that are not in the table. */
  readonly hidden: number
  readonly earlier: number
  readonly markers: readonly Marker[]
  readonly words: readonly (readonly string[])[]
}

const COLOURS: Readonly<Record<SpanState, string>> = {
  ready: 'var(--ready)',
  'not ready': 'var(--unready)',
  unknown: 'var(--terminating)',
}
const MARKER_COLOUR = 'var(--series-4)'
const ROW_HEIGHT = 16
const LABEL_LENGTH = 15

/** Draws the timeline of a Service: a row an endpoint, and every entry in words. */
export function renderTimeline({ spans, names, hidden, earlier, markers, words }: Timeline): Html {
  const notes = [
    'Each row is an endpoint to which something happened, drawn while it is published.',
    ...(hidden > 0 ? [`${hidden} endpoints to which less happened are left out.`] : []),
    ...(earlier > 0 ? [`The table has the latest lines; ${earlier} before them are left out.`] : []),
  ]
  return renderFigure({
    title: 'Timeline',
    note: notes.join(' '),
    legend: [
      ...(Object.keys(COLOURS) as SpanState[]).map((name) => ({ name, colour: COLOURS[name] })),
      ...(markers.length > 0 ? [{ name: 'a hold, a fight, or what is missing', colour: MARKER_COLOUR }] : []),
    ],
    drawing: chart(spans, names, markers),
    table: { columns: ['UTC', 'what happened'], rows: words, isText: true },
    isTableOpen: true,
  })
}

function chart(spans: readonly Span[], names: readonly string[], markers: readonly Marker[]): Html {
  const times = [...spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), ...markers.map(({ atMs }) => atMs)]
  const first = times.length === 0 ? 0 : Math.min(...times)
  // What has just come is visible, too.
  const last = Math.max(first + 1_000, ...times)
  const drawn = spans.map((span) => ({
    ...span,
    from: new Date(span.fromMs),
    to: new Date(Math.max(span.toMs, span.fromMs + (last - first) / 300)),
  }))
  const clock = clockOf(first, last)
  return renderChart('Endpoints over time, by their state', (width) => ({
    height: names.length * ROW_HEIGHT + 50,
    marginLeft: 120,
    marginTop: 8,
    x: {
      type: 'utc',
      domain: [new Date(first), new Date(last)],
      ticks: width / 120,
      tickFormat: clock,
      label: null,
      grid: true,
    },
    y: { domain: [...names], label: null, tickSize: 0, tickFormat: shortened, padding: 0.2 },
    marks: [
      barX(drawn, {
        x1: 'from',
        x2: 'to',
        y: 'name',
        fill: ({ state }: Span) => COLOURS[state],
        title: ({ name, state, from, to }: Span & { from: Date; to: Date }) =>
          `${name}: ${state}, ${from.toISOString()} to ${to.toISOString()}`,
      }),
      ruleX(
        markers.map(({ atMs, note }) => ({ at: new Date(atMs), note })),
        { x: 'at', stroke: MARKER_COLOUR, strokeWidth: 2, title: 'note' },
      ),
    ],
  }))
}

/** Shortens a name to the Pod, if there is one. Names of one Service's Pods differ by how they end. */
function shortened(name: string): string {
  const [first = name] = name.split(' ', 1)
  return first.length > LABEL_LENGTH ? `…${first.slice(1 - LABEL_LENGTH)}` : first
}
