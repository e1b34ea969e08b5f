import { createReplay, type RecordingLine } from '../../../shared/recording/index.ts'
import { createFilm, renderPage, renderSlices, SLICES_SCRIPT } from '../../../shared/report/index.ts'
import { describeEntry } from '../describe-entry.ts'
import type { HistoryEntry } from '../entry.ts'
import type { TimelineFilter } from '../timeline.ts'
import { createDelays } from './delays.ts'
import { createSpans } from './spans.ts'
import { type Marker, renderTimeline } from './timeline-figure.ts'

/** Gathers what the page of a Service shows, in bounded memory but for the names of its endpoints. */
export interface HistoryReport {
  /** Passes lines on, and takes in what they say of slices. */
  watch(lines: AsyncIterable<RecordingLine>): AsyncGenerator<RecordingLine>
  add(entry: HistoryEntry): void
  /** Renders the page from what was taken in. */
  page(): string
}

/** Lines of words, the latest of them. */
const MAX_WORDS = 1_000
const MAX_MARKERS = 100

/** @param title of the Service: cluster, namespace and name */
export function createHistoryReport(
  title: string,
  { since = 0, until = Number.POSITIVE_INFINITY }: TimelineFilter,
): HistoryReport {
  const replay = createReplay()
  const film = createFilm()
  const spans = createSpans()
  const delays = createDelays()
  const words: string[][] = []
  const markers: Marker[] = []
  let count = 0

  function show(line: RecordingLine): void {
    if (line.kind !== 'write' && line.kind !== 'snapshot' && line.kind !== 'gone') return
    const atMs = Date.parse(line.time)
    if (atMs > until) return
    replay.apply(line)
    if (atMs >= since)
      film.show(atMs, () => replay.slices().map(({ slice, endpoints }) => ({ name: slice, endpoints })))
  }

  return {
    async *watch(lines) {
      for await (const line of lines) {
        show(line)
        yield line
      }
    },
    add(entry) {
      spans.add(entry)
      delays.add(entry)
      const note = noteOf(entry)
      if (note !== undefined) keep(markers, { atMs: Date.parse(entry.time), note }, MAX_MARKERS)
      for (const line of describeEntry(entry)) {
        count++
        keep(words, [timeText(Date.parse(entry.time)), line], MAX_WORDS)
      }
    },
    page: () =>
      renderPage({
        title: `What happened to ${title}`,
        lead: 'From a recording; times are UTC, by the clock of each writer.',
        script: SLICES_SCRIPT,
        sections: [
          renderTimeline({ ...spans.read(), markers, words, earlier: count - words.length }),
          ...(film.frames().length === 0
            ? []
            : [renderSlices({ title: 'How its slices fill', frames: film.frames(), timeText })]),
          ...delays.render(),
        ],
      }),
  }
}

/** Keeps the latest items. */
function keep<T>(items: T[], item: T, most: number): void {
  items.push(item)
  if (items.length > most) items.shift()
}

const timeText = (atMs: number): string => new Date(atMs).toISOString().slice(5, -5).replace('T', ' ')

/** Returns a note for entries that matter to operators. */
function noteOf(entry: HistoryEntry): string | undefined {
  if (entry.kind === 'Lost') return 'records are missing'
  if (entry.kind === 'Gone') return `slice ${entry.slice} was deleted by somebody else`
  if (entry.kind !== 'Write') return undefined
  if (entry.hold !== undefined) return `plan ${entry.hold}`
  return entry.fights === undefined ? undefined : 'somebody keeps editing'
}
