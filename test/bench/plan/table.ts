import type { Comparison } from './compare.ts'

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
export function tableOf(comparisons: readonly Comparison[]): string {
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
