interface ColumnsOptions {
  /** Before each line; default: nothing. */
  readonly indent?: string
  /** Whether all columns but the first are numbers, which are aligned to the right; default: false. */
  readonly areNumbers?: boolean
}

/** Aligns cells in columns as wide as their widest, two spaces apart; no line ends with spaces. */
export function columns(
  rows: readonly (readonly string[])[],
  { indent = '', areNumbers = false }: ColumnsOptions = {},
): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  const aligned = (cell: string, index: number): string =>
    areNumbers && index > 0 ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)
  return rows.map((row) => (indent + row.map(aligned).join('  ')).trimEnd())
}

/** A line of a table, and the notes below it. */
export interface Row {
  readonly cells: readonly string[]
  readonly notes: readonly string[]
}

/** Writes a table with the notes of each row below it. */
export function tableWithNotes(header: readonly string[], rows: readonly Row[]): string[] {
  const [first = '', ...lines] = columns([header, ...rows.map(({ cells }) => cells)], { indent: '  ' })
  return [
    first,
    ...rows.flatMap(({ notes }, index) => [lines[index] ?? '', ...notes.map((note) => `      ${note}`)]),
  ]
}

/** Puts a label before lines; a further line of the same label has an empty one. */
export const labelled = (label: string, lines: readonly string[]): string[][] =>
  lines.map((line, index) => [index === 0 ? label : '', line])

interface Conditions {
  readonly ready?: boolean | null | undefined
  readonly serving?: boolean | null | undefined
  readonly terminating?: boolean | null | undefined
}

/** Writes the conditions of an endpoint. Absent ones mean what they mean to consumers of slices. */
export const conditionsText = ({ ready, serving, terminating }: Conditions = {}): string =>
  [
    ready === false ? 'not ready' : 'ready',
    ...((serving ?? ready !== false) ? ['serving'] : []),
    ...(terminating ? ['terminating'] : []),
  ].join(', ')

/** Writes a count with its noun: `1 slice`, `2 slices`, `3 batches`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith('ch') ? `${noun}es` : `${noun}s`
  return `${count} ${count === 1 ? noun : plural}`
}

/** Formats a span of time as people say it: `140 ms`, `1.1 s`, `95 s`, `5 min`, `3 h`, `4 days`. */
export function durationText(span: number): string {
  const ms = Math.max(0, span)
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} days`
}

/** Lists names, of which it writes the first ones, and how many more there are. */
export function listText(names: readonly string[], most: number, total = names.length): string {
  const more = total - Math.min(names.length, most)
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** Formats an age in its largest unit, from twice that on, such as `90s`, `5m`, `3d`; `-` without a time. */
export function ageText(time: string | number | undefined, now: number): string {
  const then = new Date(time ?? Number.NaN).getTime()
  if (Number.isNaN(then)) return '-'
  const seconds = Math.max(0, Math.floor((now - then) / 1000))
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? ['s', 1]
  return `${Math.floor(seconds / length)}${unit}`
}
