import { columns } from '../terminal/index.ts'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Formats a number of bytes with three digits, in powers of 1,000. */
export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${Number(value.toPrecision(3))} ${UNITS[unit]}`
}

export const dollarsText = (dollars: number): string =>
  `${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} $`

export const countText = (count: number): string => Math.round(count).toLocaleString('en-US')

/** Spaces that {@link columns} leaves between two columns. */
const GAP = 2

/** Writes the lines of a table; the first column is left-aligned, the others are right-aligned. */
export const tableText = (rows: readonly (readonly string[])[]): string =>
  `${columns(rows, { areNumbers: true }).join('\n')}\n`

/** Writes a table of limited width: columns that do not fit follow in tables that repeat the first ones. */
export function tablesText(
  rows: readonly (readonly string[])[],
  { keys, width }: { readonly keys: number; readonly width: number },
): string {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const columns = [...(rows[0] ?? []).keys()]
  const widthOfKeys = columns.slice(0, keys).reduce((sum, column) => sum + widthOf(column) + GAP, 0)
  const tables: number[][] = []
  let used = 0
  for (const column of columns.slice(keys)) {
    if (tables.length === 0 || used + widthOf(column) > width) {
      tables.push(columns.slice(0, keys))
      used = widthOfKeys
    }
    tables.at(-1)?.push(column)
    used += widthOf(column) + GAP
  }
  return tables
    .map((table) => tableText(rows.map((row) => table.map((column) => row[column] ?? ''))))
    .join('\n')
}

/** Writes the command that deploys these settings; those that are left out stay as they are by default. */
export function deployCommand(
  settings: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  return ['npm run deploy', ...(given.length > 0 ? ['--'] : []), ...given.map(setFlag)].join(' ')
}

const setFlag = ([name, value]: readonly [string, unknown]): string => `--set ${name}=${value}`
