import type { RecordingLine } from '../../shared/recording/index.ts'

/** Maximum milliseconds that an object of a worker covers; objects of several workers follow one another. */
const DISORDER_MS = 5 * 60_000

type Lines = AsyncIterable<RecordingLine>

/** Merges streams that are each in order, by time; of the same time, the earlier stream's come first. */
export async function* merge(streams: readonly Lines[]): AsyncGenerator<RecordingLine> {
  const [only, ...others] = streams
  if (only !== undefined && others.length === 0) return yield* only
  const readers = streams.map((stream) => stream[Symbol.asyncIterator]())
  try {
    const heads = await Promise.all(readers.map((reader) => reader.next()))
    for (let first = earliest(heads); first >= 0; first = earliest(heads)) {
      const { value } = heads[first] as IteratorYieldResult<RecordingLine>
      yield value
      heads[first] = (await readers[first]?.next()) ?? { done: true, value: undefined }
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.return?.()))
  }
}

/** Returns the index of the earliest of the next lines, or -1 if there is none. */
function earliest(heads: readonly IteratorResult<RecordingLine, unknown>[]): number {
  let found = -1
  let time = Number.POSITIVE_INFINITY
  for (const [index, head] of heads.entries()) {
    const next = head.done ? Number.POSITIVE_INFINITY : Date.parse(head.value.time)
    if (next >= time) continue
    found = index
    time = next
  }
  return found
}

/**
 * Sorts lines by time that are out of order by at most `windowMs`, which is 5 minutes by default. Lines of up
 * to twice that time are in memory. The sort is stable.
 */
export async function* inOrder(lines: Lines, windowMs = DISORDER_MS): AsyncGenerator<RecordingLine> {
  let waiting: { readonly time: number; readonly line: RecordingLine }[] = []
  let oldest = Number.POSITIVE_INFINITY
  let newest = Number.NEGATIVE_INFINITY
  /** Lines up to then have been handed out: what comes later still than the window follows them. */
  let doneMs = Number.NEGATIVE_INFINITY
  for await (const line of lines) {
    const time = Date.parse(line.time)
    if (time < doneMs) {
      yield line
      continue
    }
    waiting.push({ time, line })
    oldest = Math.min(oldest, time)
    newest = Math.max(newest, time)
    if (newest - oldest <= 2 * windowMs) continue
    waiting.sort((a, b) => a.time - b.time)
    doneMs = newest - windowMs
    const due = waiting.findIndex((other) => other.time > doneMs)
    for (const { line } of waiting.slice(0, due)) yield line
    waiting = waiting.slice(due)
    oldest = waiting[0]?.time ?? Number.POSITIVE_INFINITY
  }
  for (const { line } of waiting.sort((a, b) => a.time - b.time)) yield line
}
