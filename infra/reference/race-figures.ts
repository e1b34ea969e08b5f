import { percentile } from '../../shared/values/index.ts'

/** Medians of what one controller needed for one work. */
interface Figures {
  readonly p50: number
  readonly kilobytesRead: number
  readonly sliceWrites: number
  readonly cpuSeconds: number
}

/**
 * A line that the race writes (test/bench/race/result.ts), as far as the README has it. Lines from before the
 * file was there lack figures that were not noted.
 */
interface RaceLine {
  readonly date: string
  readonly work: string
  readonly roundTripMs: number
  readonly contender: 'in-tree' | 'sliceflow'
  readonly latency: { readonly ready?: { readonly p50: number } }
  readonly sliceWrites?: number
  readonly kilobytesReadPerWrite?: number
  readonly cpuSeconds?: { readonly controller: number }
  readonly memoryMb?: number
  readonly differences: readonly string[]
}

const BEGIN = '<!-- race: made by npm run docs of test/bench/race/figures.ndjson -->'
const END = '<!-- /race -->'
const CONTENDERS = ['sliceflow', 'in-tree'] as const

/**
 * Returns the README with its table made anew of the lines that `npm run bench -- race --out` wrote.
 * @throws Error if a work is missing, or its slices were wrong in the end
 */
export function withRaceTable(readme: string, ndjson: string): string {
  const [start, end] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`the README lacks ${BEGIN} or ${END}`)
  return `${readme.slice(0, start + BEGIN.length)}\n${raceTable(ndjson)}\n${readme.slice(end)}`
}

function raceTable(ndjson: string): string {
  const all = ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line): RaceLine => JSON.parse(line))
  const lines = all.filter(({ roundTripMs }) => roundTripMs === 0)
  const [one, rolling] = ['one change, 3000 pods, 5000 nodes', 'rolling update of 500 pods'].map((title) =>
    CONTENDERS.map((contender) => figuresOf(lines, title, contender)),
  )
  const memory = CONTENDERS.map((name) => {
    const own = lines.flatMap(({ contender, memoryMb = 0 }) =>
      contender === name && memoryMb > 0 ? Math.round(memoryMb) : [],
    )
    return `${Math.min(...own)}–${Math.max(...own)} MB`
  })
  const read = (kilobytes: number): string =>
    kilobytes === 0 ? 'nothing' : `${kilobytes.toFixed(kilobytes < 1 ? 1 : 0)} kB`
  const rows = [
    ['', 'Sliceflow', 'in-tree'],
    ['---', '---:', '---:'],
    [
      'one Pod of 3,000 becomes ready: until its slice is right; read',
      ...(one ?? []).map(({ p50, kilobytesRead }) => `${p50.toFixed(0)} ms; ${read(kilobytesRead)}`),
    ],
    [
      'a rolling update of 500 Pods, 20 a second: slice writes, CPU',
      ...(rolling ?? []).map(
        ({ sliceWrites, cpuSeconds }) => `${sliceWrites.toLocaleString('en')}, ${cpuSeconds.toFixed(1)} s`,
      ),
    ],
    ['memory', ...memory],
  ]
  const dates = lines.map(({ date }) => date).toSorted()
  const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  return `\n${table}\n\nMeasured on ${dates[0]}.\n`
}

function figuresOf(lines: readonly RaceLine[], title: string, contender: RaceLine['contender']): Figures {
  const own = lines.filter((line) => line.work.startsWith(title) && line.contender === contender)
  if (own.length === 0) throw new Error(`the figures lack "${title}" of ${contender}`)
  if (own.some(({ differences }) => differences.length > 0))
    throw new Error(`slices of "${title}" of ${contender} were wrong in the end: that is no figure`)
  const median = (figure: (line: RaceLine) => number | undefined): number =>
    percentile(
      own.map((line) => figure(line) ?? 0).toSorted((a, b) => a - b),
      0.5,
    ) ?? 0
  return {
    p50: median(({ latency }) => latency.ready?.p50),
    kilobytesRead: median(({ kilobytesReadPerWrite }) => kilobytesReadPerWrite),
    sliceWrites: median(({ sliceWrites }) => sliceWrites),
    cpuSeconds: median(({ cpuSeconds }) => cpuSeconds?.controller),
  }
}
