import type { RecordingLine } from '../../shared/recording/index.ts'

type Lines = AsyncIterable<RecordingLine>

/**
 * Merges several streams by time. Each of them must be in order; of the same time, the earlier stream's come
 * first.
 */
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
 * Puts lines in the order of time that are out of it by at most `windowMs`: so many milliseconds of lines are
 * in memory. Of the same time, they stay as they come.
 */
export async function* inOrder(lines: Lines, windowMs: number): AsyncGenerator<RecordingLine> {
  const waiting: { readonly time: number; readonly line: RecordingLine }[] = []
  let newest = Number.NEGATIVE_INFINITY
  for await (const line of lines) {
    const time = Date.parse(line.time)
    newest = Math.max(newest, time)
    waiting.splice(waiting.findLastIndex((other) => other.time <= time) + 1, 0, { time, line })
    const due = waiting.findIndex((other) => other.time > newest - windowMs)
    for (const { line } of waiting.splice(0, due)) yield line
  }
  for (const { line } of waiting) yield line
}
