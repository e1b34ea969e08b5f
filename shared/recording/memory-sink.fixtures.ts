import { type Chunk, parseRecord, type RecordingLine, type RecordingSink } from './index.ts'

/** A sink that a test reads, and sets. */
export interface MemorySink extends RecordingSink {
  part: number
  isShared: boolean
  /** Whether it takes what is appended; default true. */
  hasRoom: boolean
  records(): RecordingLine[]
  /** Loses what it took last. */
  loseLast(): void
}

export function createMemorySink(): MemorySink {
  const chunks: Chunk[] = []
  let tellLost: (chunk: Chunk) => void
  const sink: MemorySink = {
    part: 0,
    isShared: false,
    hasRoom: true,
    append(chunk) {
      if (sink.hasRoom) chunks.push(chunk)
      return sink.hasRoom
    },
    onLost(listener) {
      tellLost = listener
    },
    records: () =>
      chunks.flatMap(({ lines }) =>
        lines
          .trimEnd()
          .split('\n')
          .flatMap((line) => parseRecord(line) ?? []),
      ),
    loseLast() {
      const chunk = chunks.pop()
      if (chunk !== undefined) tellLost(chunk)
    },
  }
  return sink
}
