import { on } from 'node:events'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import {
  buffersOf,
  createBatchReader,
  createBatchWriter,
  type EventBatch,
  RecordedWorkloadError,
  type RelayEvent,
  replay,
} from '../../shared/simulation/index.ts'
import { HistoryError, type RecordingQuery } from '../history/index.ts'
import { openWorkload } from './open-workload.ts'

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
