import { renderPage } from '../../report/index.ts'
import { describeEntry } from '../describe-entry.ts'
import type { HistoryEntry } from '../entry.ts'
import { createDelays } from './delays.ts'
import { createSpans } from './spans.ts'
import { type Marker, renderTimeline } from './timeline-figure.ts'

export type HistoryReport = ReturnType<typeof createHistoryReport>

/** Lines of words, the latest of them. */
const MAX_WORDS = 1_000
const MAX_MARKERS = 100

/**
 * Gathers what the page of a Service shows, in bounded memory but for the names of its endpoints.
 * @param title of the Service: cluster, namespace and name
 */
export function createHistoryReport(title: string) {
  const spans = createSpans()
  const delays = createDelays()
  const words: string[][] = []
  const markers: Marker[] = []
  let count = 0

  return {
    add(entry: HistoryEntry): void {
      spans.add(entry)
      delays.add(entry)
      const note = noteOf(entry)
      if (note !== undefined) keep(markers, { atMs: Date.parse(entry.time), note }, MAX_MARKERS)
      for (const line of describeEntry(entry)) {
        count++
        keep(words, [timeText(Date.parse(entry.time)), line], MAX_WORDS)
      }
    },
    page: (): string =>
      renderPage({
        title: `What happened to ${title}`,
        lead: 'From a recording; times are UTC, by the clock of each writer.',
        sections: [
          renderTimeline({ ...spans.read(), markers, words, earlier: count - words.length }),
          ...delays.render(),
        ],
      }),
  }
}

function keep<T>(items: T[], item: T, most: number): void {
  items.push(item)
  if (items.length > most) items.shift()
}

const timeText = (atMs: number): string => new Date(atMs).toISOString().slice(5, -5).replace('T', ' ')

/** Returns a note for entries that matter to operators. */
function noteOf(entry: HistoryEntry): string | undefined {
  if (entry.kind === 'Lost') return 'records are missing'
  if (entry.kind === 'Gone') return `slice ${entry.slice} was deleted by another client`
  if (entry.kind !== 'Write') return undefined
  if (entry.hold !== undefined) return `plan ${entry.hold}`
  return entry.fights === undefined ? undefined : 'another client keeps editing'
}
