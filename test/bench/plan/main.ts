import { stderr, stdout } from 'node:process'
import { Command } from 'commander'
import { runToExitCode } from '../../support/go-program.ts'
import { type Comparison, compareAll, type Growth, growthsOf } from './compare.ts'

const options = new Command('npm run bench -- plan')
  .description(
    "Times plan() and the in-tree controller's Reconcile (k8s.io/endpointslice) on the same cases, one after the other.",
  )
  .option('--filter <text>', 'only cases whose name holds the text', '')
  .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 no Go.')
  .parse()
  .opts<{ readonly filter: string }>()

const COLUMNS = [
  'case',
  'upstream ms',
  'ours ms',
  'ours/upstream',
  'upstream MB',
  'ours MB',
  'writes',
] as const

/** Formats one line for each case, with numbers to the right. */
function tableOf(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ id, upstream, ours, ratio }) => [
    id,
    upstream.milliseconds.toFixed(2),
    ours.milliseconds.toFixed(2),
    ratio.toFixed(2),
    megabytes(upstream.allocatedBytes),
    megabytes(ours.allocatedBytes),
    `${ours.create}/${ours.update}/${ours.delete}`,
  ])
  const table = [[...COLUMNS], ...rows]
  const widths = COLUMNS.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) => row.map((cell, column) => padded(cell, column, widths)).join('  ')).join('\n')
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

const padded = (cell: string, column: number, widths: readonly number[]): string =>
  column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)

const growthLine = ({ kind, upstream, ours }: Growth): string =>
  `${kind}: ${ours.toFixed(2)} (upstream ${upstream.toFixed(2)})`

async function run(): Promise<boolean> {
  const comparisons = await compareAll(options.filter, ({ id }) => stderr.write(`measured ${id}\n`))
  const growths = growthsOf(comparisons)
  stdout.write(`${tableOf(comparisons)}\n`)
  if (growths.length > 0) {
    stdout.write(`\ntime per pod at 10,000 by time per pod at 1,000: ${growths.map(growthLine).join(', ')}\n`)
  }
  return true
}

await runToExitCode(run)
