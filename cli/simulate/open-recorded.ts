import { on } from 'node:events'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import type { RecordingLine } from '../../shared/recording/index.ts'
import {
  buffersOf,
  createBatchReader,
  createBatchWriter,
  type EventBatch,
  type RecordedWorkload,
  RecordedWorkloadError,
  type RelayEvent,
  recordedWorkload,
  replay,
} from '../../shared/simulation/index.ts'
import { HistoryError, inOrder, openRecording, type RecordingQuery } from '../history/index.ts'

/**
 * Opens a recording as a workload; each run reads it again, a large one in a thread of its own if there is
 * more than one processor. `onProblem` is called once per invalid line.
 * @throws HistoryError where a source cannot be read
 * @throws RecordedWorkloadError where there is nothing to simulate
 */
export async function openRecorded({ onProblem, ...query }: RecordingQuery): Promise<RecordedWorkload> {
  const reading = reportOnce(onProblem)
  const workload = await openWorkload({ ...query, onProblem: reading() })
  if (availableParallelism() === 1 || !(await isLarge(query.from))) return workload
  return { ...workload, relayEvents: () => replayInWorker({ ...query, onProblem: reading() }) }
}

/** A thread takes about as long to start as a recording of this size to be read. */
const LARGE_BYTES = 8 * 2 ** 20

/** Decides by file size; sizes of S3 objects are unknown before they are listed. */
async function isLarge(from: readonly string[]): Promise<boolean> {
  const files = from.flatMap((source) => [source, `${source}.1`])
  const sizes = files.map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return bytes >= LARGE_BYTES || from.some((source) => source.startsWith('s3://'))
}

/**
 * Opens a recording as a workload; each run reads it again. `onProblem` is called once per invalid line.
 * @throws HistoryError where a source cannot be read
 * @throws RecordedWorkloadError where there is nothing to simulate
 */
export function openWorkload({ from, onProblem, ...wanted }: RecordingQuery): Promise<RecordedWorkload> {
  const reading = reportOnce(onProblem)
  const open = (): AsyncIterable<RecordingLine> => {
    const lines = openRecording({ from, isReadAgain: true, onProblem: reading(), ...wanted })
    // The lines of one process are in order, and it alone has written a file.
    return from.some((source) => source.startsWith('s3://')) ? inOrder(lines) : lines
  }
  return recordedWorkload({ open, ...wanted })
}

/**
 * Reports each problem once. Every read of a recording has the same problems in the same order; only the
 * first read that reaches a problem reports it.
 * @returns a callback for the problems of a new read
 */
function reportOnce(onProblem: (problem: string) => void): () => (problem: string) => void {
  let reported = 0
  return () => {
    let met = 0
    return (problem) => {
      met++
      if (met <= reported) return
      reported = met
      onProblem(problem)
    }
  }
}

type Query = Omit<RecordingQuery, 'onProblem'>

type Message =
  | { readonly batch: EventBatch }
  | { readonly problem: string }
  /** It ends with an error for the user. */
  | { readonly failure: { readonly isOfSource: boolean; readonly message: string } }
  | { readonly isDone: true }

/** Maximum number of batches that wait for the simulation. */
const MAX_AHEAD = 8

/** Replays a recording as {@link replay} does, but a thread reads it while its events are simulated. */
export async function* replayInWorker({
  onProblem,
  ...query
}: RecordingQuery): AsyncGenerator<readonly RelayEvent[]> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { [ROLE]: query } })
  const read = createBatchReader()
  try {
    for await (const [message] of on(thread, 'message', { close: ['exit'] }) as AsyncIterable<[Message]>) {
      if ('isDone' in message) return
      if ('failure' in message) throw errorOf(message.failure)
      if ('problem' in message) onProblem(message.problem)
      else {
        thread.postMessage('taken')
        yield read(message.batch)
      }
    }
    throw new Error('the thread that reads the recording has ended too early')
  } finally {
    await thread.terminate()
  }
}

const errorOf = ({ isOfSource, message }: Extract<Message, { failure: object }>['failure']): Error =>
  isOfSource ? new HistoryError(message) : new RecordedWorkloadError(message)

/** Marks the thread, which runs this same file, also if it is bundled. */
const ROLE = 'sliceflow:recording'

async function replayTo(port: MessagePort, query: Query): Promise<void> {
  const say = (message: Message, buffers: ArrayBufferLike[] = []): void =>
    port.postMessage(message, buffers as ArrayBuffer[])
  const write = createBatchWriter()
  const room = createRoom(port)
  try {
    const workload = await openWorkload({ ...query, onProblem: (problem) => say({ problem }) })
    for await (const relayEvent of replay(workload)) {
      await room()
      const batch = write(relayEvent)
      say({ batch }, buffersOf(batch))
    }
    say({ isDone: true })
  } catch (error) {
    if (!(error instanceof HistoryError || error instanceof RecordedWorkloadError)) throw error
    say({ failure: { isOfSource: error instanceof HistoryError, message: error.message } })
  } finally {
    port.close()
  }
}

/** @returns waits until one more batch may be said */
function createRoom(port: MessagePort): () => Promise<void> {
  let ahead = 0
  let wake = (): void => undefined
  port.on('message', () => {
    ahead--
    wake()
  })
  return async () => {
    while (ahead >= MAX_AHEAD) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    ahead++
  }
}

const given: unknown = workerData?.[ROLE]
if (parentPort !== null && given !== undefined) await replayTo(parentPort, given as Query)
