import { dot, gridX, gridY, line, text } from '@observablehq/plot'
import { type Figure, type Html, renderChart, renderFigure, renderPage } from '../../report/index.ts'
import { hasSliceSize, MATRIX_COLUMNS, type MatrixRun, matrixCells, windowText } from '../run-matrix.ts'
import { bytesText, countText, dollarsText } from '../text.ts'
import { type Amount, amountsChart, colourOf, legendOf } from './amounts-chart.ts'

export interface MatrixReport {
  /** Title, such as `rolling: 1 Service of 500 endpoints on 100 nodes`. */
  readonly workload: string
  readonly runs: readonly MatrixRun[]
  readonly advice?: { readonly text: string; readonly run?: MatrixRun | undefined } | undefined
}

export function matrixPage({ workload, runs: all, advice }: MatrixReport): string {
  const advised = advice?.run && nameOf(advice.run, all)
  const marked = (name: string): string => (name === advised ? `${name} (advised)` : name)
  const names = new Map(all.map((run) => [run, marked(nameOf(run, all))]))
  // Where the slice size has no say, runs with one and another are the same.
  const runs = [...new Map(all.map((run) => [names.get(run), run])).values()]
  const amounts = (
    value: (run: MatrixRun) => number,
    text: (value: number) => string,
    from?: (run: MatrixRun) => number,
  ): Amount[] =>
    runs.map((run) => ({
      name: names.get(run) ?? '',
      colour: colourOf(run.policy),
      value: value(run),
      text: text(value(run)),
      from: from?.(run),
    }))
  const legend = legendOf(runs.map(({ policy }) => policy))
  const tableOf = (...columns: readonly (typeof MATRIX_COLUMNS)[number][]): Figure['table'] => {
    const places = columns.map((column) => MATRIX_COLUMNS.indexOf(column))
    return {
      columns: ['run', ...columns],
      rows: runs.map((run) => {
        const cells = matrixCells(run)
        return [names.get(run) ?? '', ...places.map((place) => cells[place] ?? '')]
      }),
    }
  }
  const [first] = runs
  const { events = 0, seconds = 0 } = first?.run ?? {}
  return renderPage({
    title: `What publishing endpoints costs: ${workload}`,
    lead: `${countText(events)} Pod events in ${countText(seconds)} s of simulated time, with the planning and the coalescing that Sliceflow runs.${advice === undefined ? '' : ` Advice: ${advice.text}`}`,
    sections: [
      renderFigure({
        title: 'Writes',
        note: 'Requests that change objects, by policy. The axis is logarithmic.',
        legend,
        drawing: amountsChart(
          'Writes by policy',
          amounts(({ run }) => run.writes, countText),
          countText,
        ),
        table: tableOf('writes', 'messages', 'batches', 'reads', 'GB-s', '$/month'),
      }),
      renderFigure({
        title: 'Bytes sent',
        note: 'Bytes of the watch events, over all nodes. The axis is logarithmic.',
        legend,
        drawing: amountsChart(
          'Bytes sent by policy',
          amounts(({ run }) => run.bytesSent, bytesText),
          bytesText,
        ),
        table: tableOf('sent', 'stored', 'slices/least', 'most'),
      }),
      renderFigure({
        title: 'Staleness',
        note: 'From a change until it is published: half of the changes are out where a line begins, 99 % of them where it ends.',
        legend,
        drawing: amountsChart(
          'Staleness by policy, p50 to p99',
          amounts(delayOf, msText, ({ run }) => run.stalenessMs.p50),
          msText,
        ),
        table: tableOf('p50', 'p99'),
      }),
      ...moneyFigure(runs, tableOf),
    ],
  })
}

/** Shows what a batch window saves, and what it costs in delay, where several were tried. */
function moneyFigure(
  runs: readonly MatrixRun[],
  tableOf: (...columns: readonly (typeof MATRIX_COLUMNS)[number][]) => Figure['table'],
): ReturnType<typeof renderFigure>[] {
  const batched = batchedRuns(runs)
  if (batched.length === 0) return []
  return [
    renderFigure({
      title: 'Money against delay',
      note: 'What messages and calls cost a month at this rate, with their logs, by the time within which 99 % of the changes are published. Each point is a batch window, and the most messages of a batch.',
      legend: legendOf(batched.map(({ policy }) => policy)),
      drawing: moneyChart(batched),
      table: tableOf('window', 'messages', 'batches', '$/month', 'p99'),
    }),
  ]
}

/** Names a run by the settings in which it differs from the others. */
function nameOf(run: MatrixRun, runs: readonly MatrixRun[]): string {
  const differs = (value: (run: MatrixRun) => unknown): boolean => new Set(runs.map(value)).size > 1
  return [
    run.policy,
    ...(differs(windowText) ? [`window ${windowText(run)}`] : []),
    ...(differs(({ batchSize }) => batchSize) ? [`batches of ${run.batchSize}`] : []),
    ...(differs((each) => each.maxEndpointsPerSlice) && hasSliceSize(run.policy)
      ? [`${run.maxEndpointsPerSlice} a slice`]
      : []),
    ...(differs(({ meanChange }) => meanChange) ? [`every ${countText(run.meanChange ?? 0)} s`] : []),
  ].join(', ')
}

const msText = (ms: number): string => (ms < 1 ? `${Number(ms.toPrecision(1))} ms` : `${countText(ms)} ms`)

const HEIGHT = 300

/** Settings beside those of batches: runs that share them are on one line. */
const lineOf = ({ policy, coalescingWindow, maxEndpointsPerSlice }: MatrixRun): string =>
  `${policy} ${coalescingWindow} ${maxEndpointsPerSlice}`

/** Returns the runs of which there are others with the same settings and other batches. */
function batchedRuns(runs: readonly MatrixRun[]): readonly MatrixRun[] {
  return [...Map.groupBy(runs, lineOf).values()]
    .filter((group) => new Set(group.map(({ batchWindow }) => batchWindow)).size > 1)
    .flat()
}

/** Shares of the axes within which two texts would be on each other. */
const CROWDED = { x: 0.16, y: 0.09 } as const

/** Draws what messages and calls cost by the time within which 99 % of the changes are published. */
const moneyChart = (runs: readonly MatrixRun[]): Html =>
  renderChart('Money against delay', () => {
    const sorted = runs.toSorted((a, b) => delayOf(a) - delayOf(b))
    const stroke = ({ policy }: MatrixRun): string => colourOf(policy)
    const places = { x: delayOf, y: dollarsOf }
    return {
      height: HEIGHT,
      marginLeft: 56,
      marginRight: 56,
      marginTop: 24,
      x: { label: null, tickFormat: (ms: number) => `${countText(ms)} ms`, zero: true, ticks: 4, nice: true },
      y: { label: null, tickFormat: (dollars: number) => `${countText(dollars)} $`, zero: true, nice: true },
      marks: [
        gridX({ ticks: 4 }),
        gridY({ ticks: 5 }),
        line(sorted, { ...places, z: lineOf, stroke }),
        dot(sorted, { ...places, r: 5, fill: stroke, title: titleOf }),
        text(uncrowded(sorted), { ...places, text: batchText, dx: 8, dy: -8, textAnchor: 'start' }),
      ],
    }
  })

const delayOf = ({ run }: MatrixRun): number => run.stalenessMs.p99
const dollarsOf = ({ dollarsAMonth }: MatrixRun): number => dollarsAMonth
const batchText = ({ batchWindow, batchSize }: MatrixRun): string =>
  batchWindow === 0 ? 'none' : `${batchWindow} s, ${batchSize}`
const titleOf = (run: MatrixRun): string =>
  `${batchText(run)}: ${dollarsText(dollarsOf(run))}, ${countText(delayOf(run))} ms`

/** Leaves out points whose text would be on that of another. The table and a point's title have them all. */
function uncrowded(runs: readonly MatrixRun[]): MatrixRun[] {
  const [width, height] = [Math.max(...runs.map(delayOf)), Math.max(...runs.map(dollarsOf))]
  const named: MatrixRun[] = []
  for (const run of runs) {
    const isCrowded = named.some(
      (other) =>
        Math.abs(delayOf(other) - delayOf(run)) < width * CROWDED.x &&
        Math.abs(dollarsOf(other) - dollarsOf(run)) < height * CROWDED.y,
    )
    if (!isCrowded) named.push(run)
  }
  return named
}
