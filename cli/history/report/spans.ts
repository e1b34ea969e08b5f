import type { EndpointEvent, HistoryEntry } from '../entry.ts'

/** `unknown`: it was published, but its earlier state is outside of the reported part. */
export type SpanState = 'ready' | 'not ready' | 'unknown'

/** An endpoint was published in one state, from one moment to another. */
export interface Span {
  /** Its Pod and its addresses. */
  readonly name: string
  readonly state: SpanState
  readonly fromMs: number
  readonly toMs: number
}

/** Most endpoints that are drawn: those with the most events. */
const MAX_ENDPOINTS = 40
/** The latest of each. */
const MAX_SPANS = 50

interface Track {
  count: number
  spans: Span[]
  open?: { readonly state: SpanState; readonly fromMs: number }
}

/** Spans of the endpoints to which something happened, of bounded number. */
export function createSpans() {
  const tracks = new Map<string, Track>()
  let firstMs: number | undefined
  let lastMs = 0

  function put(event: EndpointEvent, atMs: number): void {
    const name = nameOf(event)
    let track = tracks.get(name)
    if (track === undefined) {
      track = { count: 0, spans: [] }
      tracks.set(name, track)
      if (!isPresent(event)) track.open = { state: stateBefore(event), fromMs: firstMs ?? atMs }
    }
    track.count++
    close(name, track, atMs)
    const state = stateAfter(event, track.spans.at(-1)?.state)
    if (state !== undefined) track.open = { state, fromMs: atMs }
  }

  function close(name: string, track: Track, toMs: number): void {
    const { open } = track
    if (open === undefined) return
    delete track.open
    const last = track.spans.at(-1)
    const isSame = last?.state === open.state && last.toMs === open.fromMs
    if (isSame) track.spans.pop()
    track.spans.push({ name, state: open.state, fromMs: isSame ? last.fromMs : open.fromMs, toMs })
    if (track.spans.length > MAX_SPANS) track.spans.shift()
  }

  return {
    add(entry: HistoryEntry): void {
      const atMs = Date.parse(entry.time)
      firstMs ??= atMs
      lastMs = Math.max(lastMs, atMs)
      if ('endpoints' in entry) for (const event of entry.endpoints) put(event, atMs)
    },
    read() {
      const shown = new Set(
        [...tracks]
          .toSorted(([, a], [, b]) => b.count - a.count)
          .slice(0, MAX_ENDPOINTS)
          .map(([name]) => name),
      )
      const names = [...tracks.keys()].filter((name) => shown.has(name))
      const spans = names.flatMap((name): readonly Span[] => {
        const { spans = [], open } = tracks.get(name) ?? {}
        return open === undefined ? spans : [...spans, { name, ...open, toMs: lastMs }]
      })
      return { spans, names, hidden: tracks.size - names.length }
    },
  }
}

const nameOf = ({ pod, addresses }: EndpointEvent): string =>
  pod === undefined ? addresses.join(', ') : `${pod} ${addresses.join(', ')}`

const isPresent = ({ event }: EndpointEvent): boolean => event === 'Came' || event === 'Found'

function stateBefore(event: EndpointEvent): SpanState {
  return event.event === 'Changed' ? readiness(event.from.conditions?.ready) : 'unknown'
}

/** Returns the state after an event, or undefined if the endpoint is no longer published. */
function stateAfter(event: EndpointEvent, before: SpanState = 'unknown'): SpanState | undefined {
  switch (event.event) {
    case 'Came':
    case 'Found':
      return readiness(event.ready)
    case 'Changed':
      return 'conditions' in event.to ? readiness(event.to.conditions?.ready) : before
    case 'Moved':
      return before
    case 'Left':
      return undefined
  }
}

/** Names the readiness. Kubernetes takes an absent condition as ready. */
const readiness = (ready: boolean | undefined): SpanState => (ready === false ? 'not ready' : 'ready')
