import { CONTENDERS, type ContenderName } from './contenders.ts'
import { median } from './latencies.ts'
import type { Result } from './result.ts'

interface Row {
  readonly name: string
  /** undefined where the work has no such figure. */
  readonly figure: (result: Result) => number | undefined
}

/** Smaller is better in every row. */
const ROWS: readonly Row[] = [
  { name: 'ready p50, ms', figure: ({ latency }) => latency.ready?.p50 },
  { name: 'ready p99, ms', figure: ({ latency }) => latency.ready?.p99 },
  { name: 'gone p99, ms', figure: ({ latency }) => latency.gone?.p99 },
  { name: 'changes superseded', figure: ({ superseded }) => superseded },
  { name: 'wrong for over 2 s', figure: ({ late }) => late },
  { name: 'slice writes', figure: ({ sliceWrites }) => sliceWrites },
  { name: 'watch bytes, MB', figure: ({ watchBytes }) => watchBytes / 1e6 },
  { name: 'requests a change', figure: ({ requestsPerWrite }) => requestsPerWrite },
  { name: 'read a change, kB', figure: ({ kilobytesReadPerWrite }) => kilobytesReadPerWrite },
  { name: 'CPU of the controller, s', figure: ({ cpuSeconds }) => cpuSeconds.controller },
  { name: 'CPU of the API server, s', figure: ({ cpuSeconds }) => cpuSeconds.apiServer },
  { name: 'memory of the controller, MB', figure: ({ memoryMb }) => memoryMb },
]

const NONE = ''
/** A median of runs of which one was wrong in the end is no figure. */
const WRONG = 'wrong'

/**
 * Formats Markdown: a column for each work, in the order of the results, and the rows once for each distance.
 * Each cell has the medians of the rounds, in-tree and Sliceflow, and their quotient if both are above 0.
 */
export function tableOf(results: readonly Result[]): string {
  const works = [...new Set(results.map(({ work }) => work))]
  const distances = [...Map.groupBy(results, ({ roundTripMs }) => roundTripMs)]
  const lines = distances.flatMap(([roundTripMs, own]) =>
    ROWS.map(({ name, figure }) => [
      roundTripMs > 0 ? `${name}; round trip ${roundTripMs} ms` : name,
      ...works.map((work) =>
        cellOf(
          own.filter((result) => result.work === work),
          figure,
        ),
      ),
    ]),
  )
  const head = [headOf(results), ...works]
  return [head, ['---', ...works.map(() => '---:')], ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const TITLES: Readonly<Record<ContenderName, string>> = { 'in-tree': 'in-tree', sliceflow: 'Sliceflow' }

const playedIn = (results: readonly Result[]): ContenderName[] =>
  CONTENDERS.filter((name) => results.some(({ contender }) => contender === name))

function headOf(results: readonly Result[]): string {
  const played = playedIn(results).map((name) => TITLES[name])
  return played.length > 1 ? `${played.join(' / ')} (ratio)` : played.join()
}

function cellOf(results: readonly Result[], figure: Row['figure']): string {
  const values = playedIn(results).map((contender) => medianOf(results, contender, figure))
  if (values.every((value) => value === undefined)) return NONE
  const text = values
    .map((value) => (typeof value === 'number' ? numberText(value) : (value ?? NONE)))
    .join(' / ')
  const [theirs, ours] = values
  const hasRatio = typeof theirs === 'number' && typeof ours === 'number' && theirs > 0 && ours > 0
  return hasRatio ? `${text} (${numberText(ours / theirs)})` : text
}

function medianOf(
  results: readonly Result[],
  contender: ContenderName,
  figure: Row['figure'],
): number | typeof WRONG | undefined {
  const own = results.filter((result) => result.contender === contender)
  if (own.some(({ differences }) => differences.length > 0)) return WRONG
  const values = own.map(figure).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : median(values)
}

/** Formats a number with three digits, as more mean nothing. */
const numberText = (value: number): string =>
  value.toLocaleString('en', {
    maximumFractionDigits: Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0,
  })
