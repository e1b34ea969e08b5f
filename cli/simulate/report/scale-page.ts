import { dot, gridY, lineY, ruleY, text } from '@observablehq/plot'
import type { ScaleRow, Use } from '../../../shared/simulation/index.ts'
import { type Html, renderChart, renderFigure, renderPage } from '../../report/index.ts'
import { percentText, SCALE_COLUMNS, scaleCells } from '../describe-scale.ts'
import { countText } from '../text.ts'
import { amountsChart } from './amounts-chart.ts'

interface ScaleReport {
  /** Title, such as `churn: 100 Services of 20 endpoints on 10 nodes`, of each cluster. */
  readonly workload: string
  readonly rows: readonly ScaleRow[]
}

const COLOURS: Readonly<Record<Use['what'], string>> = {
  'relay memory': 'var(--series-1)',
  'function calls at once': 'var(--series-2)',
  'Lambda concurrency': 'var(--series-3)',
  'API calls': 'var(--series-4)',
  'SQS in flight': 'var(--series-5)',
}
const LIMIT_NAMES = Object.keys(COLOURS) as readonly Use['what'][]

/** Renders the page of the scale report: the use of each limit, what drives it, costs by clusters. */
export function scalePage({ workload, rows }: ScaleReport): string {
  const first = rows.find(({ uses: [fullest] }) => (fullest?.share ?? 0) >= 1)
  return renderPage({
    title: `What is hit first: ${workload}`,
    lead: `Some Services of one cluster are simulated and their relay is measured; the rest is multiplied. ${leadOf(first)}`,
    sections: [
      renderFigure({
        title: 'How full each limit is',
        note: 'By the number of clusters. 100 % is all of a limit; both axes are logarithmic, and less than 0.001 % is drawn as that.',
        legend: LIMIT_NAMES.map((name) => ({ name, colour: COLOURS[name] })),
        drawing: limitsChart(rows),
        table: {
          columns: ['clusters', ...LIMIT_NAMES],
          rows: rows.map((row) => [
            countText(row.clusters),
            ...LIMIT_NAMES.map((name) => percentText(shareOf(row, name))),
          ]),
        },
      }),
      renderFigure({
        title: 'Dollars a month',
        note: 'Queues, function and relays, at list prices. The axis is logarithmic.',
        drawing: amountsChart(
          'Dollars a month by the number of clusters',
          rows.map(({ clusters, dollarsAMonth }) => ({
            name: sizeText(clusters),
            colour: COLOURS['relay memory'],
            value: dollarsAMonth,
            text: `$${countText(dollarsAMonth)}`,
          })),
          (dollars) => `$${countText(dollars)}`,
        ),
        table: { columns: SCALE_COLUMNS, rows: rows.map(scaleCells) },
        isTableOpen: true,
      }),
    ],
  })
}

function leadOf(row: ScaleRow | undefined): string {
  const [use] = row?.uses ?? []
  if (row === undefined || use === undefined) return 'No limit is hit at any of these sizes.'
  return `The first limit is hit with ${sizeText(row.clusters)}: ${use.what}, which ${use.setting} moves.`
}

const sizeText = (clusters: number): string =>
  `${countText(clusters)} ${clusters === 1 ? 'cluster' : 'clusters'}`

const shareOf = ({ uses }: ScaleRow, name: Use['what']): number =>
  uses.find(({ what }) => what === name)?.share ?? 0

/** Less than this of a limit is drawn as this. */
const MIN_SHARE = 1e-5

function limitsChart(rows: readonly ScaleRow[]): Html {
  const points = rows.flatMap((row) =>
    LIMIT_NAMES.map((what) => ({
      clusters: row.clusters,
      what,
      share: Math.max(MIN_SHARE, shareOf(row, what)),
      title: `${what}, ${sizeText(row.clusters)}: ${percentText(shareOf(row, what))}`,
    })),
  )
  const most = Math.max(1, ...points.map(({ share }) => share))
  const stroke = ({ what }: (typeof points)[number]): string => COLOURS[what]
  const at = { x: 'clusters', y: 'share', z: 'what', stroke } as const
  return renderChart('How full each limit is, by the number of clusters', () => ({
    height: 360,
    marginLeft: 64,
    marginRight: 24,
    x: { type: 'log', ticks: rows.map(({ clusters }) => clusters), tickFormat: countText, label: null },
    y: {
      type: 'log',
      domain: [MIN_SHARE, most * 2],
      tickFormat: (share: number) => percentOfTick(share),
      ticks: 6,
      label: null,
    },
    marks: [
      gridY({ ticks: 6 }),
      ruleY([1], { stroke: 'currentColor', strokeDasharray: '4 4' }),
      text([1], { y: (share: number) => share, frameAnchor: 'left', dx: 6, dy: -8, text: () => 'the limit' }),
      lineY(points, { ...at, strokeWidth: 2 }),
      dot(points, { x: 'clusters', y: 'share', r: 4, fill: stroke, title: 'title' }),
    ],
  }))
}

const percentOfTick = (share: number): string => `${Number((share * 100).toPrecision(1))} %`
