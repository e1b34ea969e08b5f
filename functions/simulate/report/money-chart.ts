import { dot, gridX, gridY, line, text } from '@observablehq/plot'
import { type Html, renderChart } from '../../../shared/report/index.ts'
import { dollarsText } from '../advise.ts'
import type { MatrixRun } from '../run-matrix.ts'
import { countText } from '../text.ts'
import { colourOf } from './policy-colours.ts'

const HEIGHT = 300

/** Settings beside those of batches: runs that share them are on one line. */
const lineOf = ({ policy, coalescingWindow, maxEndpointsPerSlice }: MatrixRun): string =>
  `${policy} ${coalescingWindow} ${maxEndpointsPerSlice}`

/** Returns the runs of which there are others with the same settings and other batches. */
export function batchedRuns(runs: readonly MatrixRun[]): readonly MatrixRun[] {
  return [...Map.groupBy(runs, lineOf).values()]
    .filter((group) => new Set(group.map(({ batchWindow }) => batchWindow)).size > 1)
    .flat()
}

/** Shares of the axes within which two texts would be on each other. */
const CROWDED = { x: 0.16, y: 0.09 } as const

/** Draws what messages and calls cost by the time within which 99 % of the changes are published. */
export const moneyChart = (runs: readonly MatrixRun[]): Html =>
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
