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

export const countText = (count: number): string => Math.round(count).toLocaleString('en-US')

/** Writes the lines of a table; the first column is left-aligned, the others are right-aligned. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return `${rows.map(line).join('\n')}\n`
}
