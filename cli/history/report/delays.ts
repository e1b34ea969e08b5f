import { dot } from '@observablehq/plot'
import { percentile } from '../../../shared/values/index.ts'
import { type Html, renderChart, renderFigure } from '../../report/index.ts'
import { durationText } from '../../terminal/index.ts'
import type { HistoryEntry } from '../entry.ts'
import { clockOf } from './timeline-figure.ts'

interface Delay {
  readonly at: Date
  readonly ms: number
  readonly slice: string
}

/** The latest ones; those before them are neither drawn nor counted. */
const MAX_DELAYS = 2_000

export function createDelays() {
  const delays: Delay[] = []
  return {
    add(entry: HistoryEntry): void {
      if (entry.kind !== 'Write' || entry.trigger === undefined) return
      const at = new Date(entry.time)
      const ms = at.getTime() - Date.parse(entry.trigger)
      if (!(ms >= 0)) return
      delays.push({ at, ms, slice: entry.slice })
      if (delays.length > MAX_DELAYS) delays.shift()
    },
    /** Draws the delays, or nothing if no write names its trigger. */
    render: (): readonly Html[] => (delays.length === 0 ? [] : [render(delays)]),
  }
}

function render(delays: readonly Delay[]): Html {
  const sorted = delays.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const within = (share: number): string => durationText(percentile(sorted, share) ?? 0)
  const clock = clockOf(Number(delays[0]?.at), Number(delays.at(-1)?.at))
  return renderFigure({
    title: 'How late writes were',
    note: `From the change that triggered a write until it was written; of the latest ${delays.length} writes. Kubernetes gives most times in whole seconds, so a write may seem up to a second later than it was.`,
    drawing: renderChart('Delay of each write', (width) => ({
      height: 220,
      marginLeft: 60,
      x: { type: 'utc', ticks: width / 120, tickFormat: clock, label: null },
      y: { type: 'sqrt', label: null, tickFormat: durationText, grid: true, ticks: 5, zero: true },
      marks: [
        dot(delays, {
          x: 'at',
          y: 'ms',
          r: 3,
          fill: 'var(--series-1)',
          fillOpacity: 0.6,
          title: ({ at, ms, slice }: Delay) => `${slice}, ${at.toISOString()}: ${durationText(ms)}`,
        }),
      ],
    })),
    table: {
      columns: ['of the writes', 'no later than'],
      rows: [
        ['half', within(0.5)],
        ['90 %', within(0.9)],
        ['99 %', within(0.99)],
        ['all', within(1)],
      ],
    },
  })
}
