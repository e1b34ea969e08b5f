import {
  type Chunk,
  createRecorder,
  parseRecord,
  type Recorder,
  type RecorderOptions,
  type RecordingLine,
  type RecordingSink,
} from '../index.ts'

/** A sink that a test reads and controls. */
export interface MemorySink extends RecordingSink {
  part: number
  isShared: boolean
  /** Whether it accepts data; default true. */
  hasRoom: boolean
  records(): RecordingLine[]
  /** Loses the last chunk that it accepted. */
  loseLast(): void
}

export function createMemorySink(): MemorySink {
  const chunks: Chunk[] = []
  let reportLost: (chunk: Chunk) => void
  const sink: MemorySink = {
    part: 0,
    isShared: false,
    hasRoom: true,
    append(chunk) {
      if (sink.hasRoom) chunks.push(chunk)
      return sink.hasRoom
    },
    onLost(listener) {
      reportLost = listener
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
      if (chunk !== undefined) reportLost(chunk)
    },
  }
  return sink
}

/** Creates a recorder to a memory sink that creates each record synchronously: a test need not wait. */
export function createMemoryRecorder(
  options: Omit<Partial<RecorderOptions>, 'sink'> & { readonly sink?: MemorySink } = {},
): { readonly sink: MemorySink; readonly recorder: Recorder } {
  const { sink = createMemorySink(), ...others } = options
  const { settle, records, ...made } = createRecorder({ worker: 'w1', settings: {}, ...others, sink })
  const settling =
    <Args extends unknown[]>(record: (...args: Args) => void) =>
    (...args: Args): void => {
      record(...args)
      settle()
    }
  return {
    sink,
    recorder: {
      records,
      saw: settling(made.saw),
      wrote: settling(made.wrote),
      gone: settling(made.gone),
      failed: settling(made.failed),
      sent: settling(made.sent),
    },
  }
}
