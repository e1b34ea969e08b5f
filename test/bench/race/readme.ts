import { CONTENDERS, type ContenderName } from './contenders.ts'
import { median } from './latencies.ts'
import type { Result } from './result.ts'

/** Medians of what one controller needed for one work. */
interface Figures {
  readonly p50: number
  readonly kilobytesRead: number
  readonly sliceWrites: number
  readonly cpuSeconds: number
}

/** A line of figures.ndjson. Those from before the file was there lack figures that were not noted. */
type Line = Partial<Result> & Pick<Result, 'date' | 'work' | 'contender' | 'latency' | 'differences'>

const BEGIN = '<!-- race: made by npm run docs of test/bench/race/figures.ndjson -->'
const END = '<!-- /race -->'

/**
 * Returns the README with its table made of the lines that `npm run bench -- race --out` wrote.
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
    .map((line): Line => JSON.parse(line))
  const lines = all.filter(({ roundTripMs }) => roundTripMs === 0)
  const contenders = CONTENDERS.toReversed()
  const [one, rolling] = ['one change, 3000 pods, 5000 nodes', 'rolling update of 500 pods'].map((title) =>
    contenders.map((contender) => figuresOf(lines, title, contender)),
  )
  const memory = contenders.map((name) => {
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

function figuresOf(lines: readonly Line[], title: string, contender: ContenderName): Figures {
  const own = lines.filter((line) => line.work.startsWith(title) && line.contender === contender)
  if (own.length === 0) throw new Error(`the figures lack "${title}" of ${contender}`)
  if (own.some(({ differences }) => differences.length > 0))
    throw new Error(`slices of "${title}" of ${contender} were wrong in the end: that is no figure`)
  const medianOf = (figure: (line: Line) => number | undefined): number =>
    median(own.map((line) => figure(line) ?? 0))
  return {
    p50: medianOf(({ latency }) => latency.ready?.p50),
    kilobytesRead: medianOf(({ kilobytesReadPerWrite }) => kilobytesReadPerWrite),
    sliceWrites: medianOf(({ sliceWrites }) => sliceWrites),
    cpuSeconds: medianOf(({ cpuSeconds }) => cpuSeconds?.controller),
  }
}
